"""What a host is told of its BMC is what the plan has at the port of that BMC, and what is declared of it."""

from dataclasses import replace

from nornir_tasks.usecases.hosts import host_inventory
from nornir_tasks.usecases.site import load


def test_each_host_with_a_bmc_on_the_plane_is_told_its_address_port_and_declared_mac_address() -> None:
    design = load("lab")
    intent, network = design.site.intent, design.network
    shared = intent.hosts["login"].model_copy(update={"bmc_shares": "business"})
    intent = intent.model_copy(update={"hosts": {**intent.hosts, "login": shared}})
    macs = {"gpu-bmc-3": "0c:42:a1:00:01:03", "pdu-1": "0c:42:a1:00:01:09"}
    every = host_inventory(intent, network, design.catalogue, macs=macs).variables
    made = {host: each for host, each in every.items() if host.rpartition("-")[0] in intent.hosts}
    cabled = {each.host: each.link for each in network.attached}
    for host, variables in made.items():
        group, _, number = host.rpartition("-")
        (circuit,) = network.circuits_on(cabled[f"{group}-bmc-{number}"])
        wanted = variables["host_validate_bmc"]
        assert wanted["address"] == circuit.lower_address
        assert wanted["port"] == ("shared" if group == "login" else "dedicated")
        assert wanted.get("mac") == macs.get(f"{group}-bmc-{number}")
    assert len(made) == 8


def test_a_host_without_a_bmc_in_the_plan_is_told_nothing() -> None:
    design = load("lab")
    bare = replace(design.network, attached=())
    intent = design.site.intent.model_copy(update={"boundary": None})  # its bastions are on the plane
    made = host_inventory(intent, bare, design.catalogue).variables
    assert not [host for host, variables in made.items() if "host_validate_bmc" in variables]
