"""host_of_profile.py PROFILE: as JSON, what the design says of a host of a site with this congestion profile."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
from congestion_page import built

RAILS = ["rail0", "rail1"]
ROLES = ("roce_qos_", "nccl_")


def main() -> None:
    """Two of its rails; the switches and NICs are of a kind that takes every profile."""
    host = built(sys.argv[1], "spectrum_x").host
    found = {name: value for name, value in host.items() if name.startswith(ROLES)}
    found |= {"roce_qos_rails": RAILS, "nccl_rails": RAILS, "nccl_socket_interfaces": ["ens3"]}
    if "roce_qos_reorder_rails" in found:
        found["roce_qos_reorder_rails"] = [each for each in found["roce_qos_reorder_rails"] if each in RAILS]
    sys.stdout.write(json.dumps(found, default=list))


if __name__ == "__main__":
    main()
