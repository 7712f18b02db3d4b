"""What firewalls' rules let pass, judged for every packet, from what ``nft -j list ruleset`` prints and the routes."""
