"""What tests need of an intent beside the network that is designed from it."""

from nornir_tasks.design.explain import Figure, explain
from nornir_tasks.design.host_vars import HostNeeds, host_needs
from nornir_tasks.design.network import Network
from nornir_tasks.design.routes import count_routes
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.intent.model import Intent


def figures(intent: Intent, network: Network) -> dict[str, Figure]:
    """Figures of the design by name; a name that stood twice would hide one."""
    found = explain(network, intent.planes, intent.policy, count_routes(network))
    named = {each.name: each for each in found}
    assert len(named) == len(found)
    return named


def needs(intent: Intent) -> HostNeeds:
    """What bringing up the intent's hosts takes."""
    return host_needs(intent.planes.compute, intent.hosts, intent.policy, load_catalogue(), intent.marks)
