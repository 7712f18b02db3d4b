"""What tests need of an intent beside the network that is designed from it."""

import re
from typing import Any

from nornir_tasks.design.addresses.routes import count_routes
from nornir_tasks.design.contribute.known_kinds import kinds
from nornir_tasks.design.demand.fabric_demand import Demand, demands
from nornir_tasks.design.hosts.host_needs import HostNeeds, host_needs
from nornir_tasks.design.model.network import Network
from nornir_tasks.design.reports.explain import Figure, explain
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.intent.keys.site import Intent


def figures(intent: Intent, network: Network) -> dict[str, Figure]:
    """Figures of the design by name; a name that stood twice would hide one."""
    found = explain(network, demands(intent, kinds().planes), count_routes(network))
    named = {each.name: each for each in found}
    assert len(named) == len(found)
    return named


def needs(intent: Intent) -> tuple[HostNeeds, ...]:
    """What bringing up the intent's hosts takes."""
    return host_needs(demands(intent, kinds().planes), load_catalogue(), intent.marks)


def demand(intent: Intent) -> Demand:
    """What is asked of the one fabric of an intent."""
    (only,) = demands(intent, kinds().planes)
    return only


def fabric(data: dict[str, Any]) -> dict[str, Any]:
    """Of the data of an intent: its fabric."""
    (only,) = data["fabrics"].values()
    return only  # type: ignore[no-any-return]


def plane(data: dict[str, Any]) -> dict[str, Any]:
    """Of the data of an intent: its plane."""
    (only,) = data["planes"].values()
    return only  # type: ignore[no-any-return]


def group(data: dict[str, Any]) -> dict[str, Any]:
    """Of the data of an intent: its hosts."""
    (only,) = data["hosts"].values()
    return only  # type: ignore[no-any-return]


def nics(data: dict[str, Any]) -> dict[str, Any]:
    """Of the data of an intent: its hosts' NICs on the plane."""
    (only,) = group(data)["nics"].values()
    return only  # type: ignore[no-any-return]


def of_two_rails(lab: str) -> str:
    """The lab's file with the first two of its eight rails."""
    text = lab.replace("rails: 8", "rails: 2").replace("rails: [1, 3, 5, 7]", "rails: [1]")
    return re.sub(r"at: \[.*?\]", 'at: ["0000:00:10.0", "0000:00:11.0"]', text, flags=re.DOTALL)
