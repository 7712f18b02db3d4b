"""What the bastions are given: addresses of their own, who may come in from where, and what each person may reach."""

from ipaddress import ip_interface, ip_network

import pytest

from nornir_tasks.design.capacity import first_boot_flows
from nornir_tasks.design.hosts.bastion_vars import BastionVars, bastion_host_vars
from nornir_tasks.design.hosts.boundary import boundary
from nornir_tasks.files.site import load_site
from nornir_tasks.intent.keys.day0 import Day0Intent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.usecases.hosts import inventory
from tests.unit.design.test_boundary import SITE, site


def of(name: str = "bastion-1", **changed: object) -> BastionVars:
    """Of the boundary's site, with other values of ``bastions``."""
    intent, network = site()
    assert intent.boundary is not None
    assert intent.boundary.bastions is not None
    bastions = intent.boundary.bastions.model_copy(update=changed)
    changed_intent: Intent = intent.model_copy(
        update={"boundary": intent.boundary.model_copy(update={"bastions": bastions})}
    )
    return bastion_host_vars(changed_intent, network)[name].bastion


def test_a_site_without_bastions_has_none() -> None:
    assert bastion_host_vars(load_site("lab-rails").intent, site()[1]) == {}


def test_bastions_have_the_addresses_that_firewalls_let_clients_to() -> None:
    found = boundary(*site())
    assert found is not None
    (row,) = (each for each in found.rows if each.name == "bastions")
    own = {
        str(ip_interface(each).ip) for one in (of(), of("bastion-2")) for each in (one.address, one.address_v6) if each
    }
    let = {str(each) for prefixes in row.destinations.values() for one in prefixes for each in ip_network(one)}
    assert own == let
    assert len(own) == 4
    assert (of().clients, of().clients_v6) == (row.sources["ipv4"], row.sources["ipv6"])


def test_bastions_have_the_addresses_that_the_out_of_band_plane_keeps_for_them() -> None:
    kept = site()[1].ends_of_flows["oob"]["bastion"].prefixes["ipv4"]
    own = {f"{ip_interface(each.plane_address).ip}" for each in (of(), of("bastion-2"))}
    assert own == {str(each) for prefix in kept if prefix for each in ip_network(prefix)}


def test_a_target_has_the_ports_that_flows_of_the_plane_let_the_bastions_reach() -> None:
    ports = {(each.group, each.tcp, each.udp) for each in of().targets}
    assert ports == {
        ("switches", ("22", "443"), ()),
        ("gpu-bmc", ("443",), ("623",)),
        ("pdu", ("443",), ("161",)),
    }


def test_targets_are_what_is_there_and_nothing_that_nobody_may_reach() -> None:
    _, network = site()
    switches = {each.name: each.address for each in of().targets if each.group == "switches"}
    assert switches == {name: each.address for name, each in network.management.items()}
    assert [each.name for each in of().targets if each.group == "gpu-bmc"] == [
        f"gpu-bmc-{each}" for each in range(1, 5)
    ]
    assert {each.group for each in of().targets} == {"switches", "gpu-bmc", "pdu"}


def test_who_is_in_two_groups_may_reach_what_each_of_them_may() -> None:
    groups = site()[0].boundary.bastions.users  # type: ignore[union-attr]
    joined = groups["hardware"].model_copy(update={"members": ("ada", "linus")})
    (ada,) = (each for each in of(users={**groups, "hardware": joined}).users if each.name == "ada")
    assert (ada.groups, ada.targets) == (("network", "hardware"), ("switches", "gpu-bmc", "pdu"))


def test_ansible_comes_from_where_it_comes_to_the_firewalls_unless_said_otherwise() -> None:
    assert of().tool_sources == ("10.183.0.0/16",)
    chosen = of(tool_sources=(ip_network("10.183.0.9/32"), ip_network("fd00:183::9/128")))
    assert (chosen.tool_sources, chosen.tool_sources_v6) == (("10.183.0.9/32",), ("fd00:183::9/128",))


def test_anybody_is_any_address_of_both_families() -> None:
    assert (of(clients=("outside",)).clients, of(clients=("outside",)).clients_v6) == (("0.0.0.0/0",), ("::/0",))


@pytest.mark.parametrize(("protocol", "port"), [("udp", "123"), ("udp", "514")])
def test_the_plane_reaches_on_a_bastion_what_its_flows_say(protocol: str, port: str) -> None:
    switches = site()[1].ends_of_flows["oob"]["switches"].prefixes["ipv4"]
    (found,) = (each for each in of().services if (each.protocol, each.ports) == (protocol, (port,)))
    assert found.sources == switches


def test_a_bastion_that_serves_first_boots_takes_them_while_day_0_is_open_and_the_other_one_does_not() -> None:
    intent, network = site()
    server = of().plane_address.partition("/")[0]
    opened = intent.model_copy(update={"day0": Day0Intent.model_validate({"server": server, "open": True})})
    found = bastion_host_vars(opened, first_boot_flows.opened(network, opened))
    more = [each for each in found["bastion-1"].bastion.services if each not in of().services]
    assert [(each.protocol, each.ports) for each in more] == [("tcp", ("8080",)), ("tcp", ("8443",)), ("udp", ("67",))]
    assert more[0].sources == network.ends_of_flows["oob"]["switches"].prefixes["ipv4"]
    assert more[2].sources == (network.planes["oob"].pools["hosts"], "0.0.0.0/32")
    assert found["bastion-2"].bastion.services == of("bastion-2").services


def test_playbooks_address_them_as_a_group() -> None:
    found = inventory(SITE.parent, with_planned=True)
    assert found.groups["bastions"] == ("bastion-1", "bastion-2")
    assert found.variables["bastion-1"]["bastion_users"][0]["name"] == "ada"
