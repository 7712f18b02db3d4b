"""Releases of which no source shows all that we render: said once to the designer who uses them."""

from nornir_tasks.design.model.network import Network


def assumed(network: Network) -> dict[str, str]:
    """System and release -> what no source shows at it and what stands in; releases that were seen are not in it."""
    found = {f"{each.os} {each.release}": each.capabilities.assumed for each in network.devices}
    return {name: text for name, text in sorted(found.items()) if text}
