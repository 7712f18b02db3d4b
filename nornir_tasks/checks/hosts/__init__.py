"""What is looked at on hosts and on machines of the boundary, from facts that Ansible read."""
