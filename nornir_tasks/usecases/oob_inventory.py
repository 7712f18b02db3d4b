"""What a site's device list declares of devices on the out-of-band plane."""

from nornir_tasks.design.model.network import Network
from nornir_tasks.files.site import Site
from nornir_tasks.inventory.endpoints import attached_macs
from nornir_tasks.lab.plan import played_mac


def declared_macs(site: Site, network: Network) -> dict[str, str]:
    """Device, or switch, -> the MAC address of its port there; of a lab that is not up, what its list will have."""
    found = attached_macs(site)
    if found or site.intent.management.source != "lab":
        return found
    return {name: played_mac(name) for name in network.attached_devices}
