"""What Ansible's roles are given for each host and each machine of the boundary."""
