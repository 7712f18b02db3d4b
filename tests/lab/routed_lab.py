"""A routed lab for tests: what it has on this machine, and waiting for a state of it."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from at_terminal import Operator

from nornir_tasks.design.model.network import Network
from nornir_tasks.lab.routed import lab_name

needs_root = pytest.mark.needs("root")
CONVERGED_S = 120.0
"""Of a loaded machine; an idle one needs a few seconds."""
_STEP_S = 0.2
_NOBODY = "00:00:00:00:00:00"
_INSIDE_S = 120.0
"""Of a command in an emulated machine on busy cores."""


def until(holds: Callable[[], Any], timeout_s: float = CONVERGED_S) -> None:
    """Wait for a state; what it was instead is the failure: ``holds`` asserts, or returns something false."""
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            found = holds()
            if found is None or found:
                return
            instead: object = found
        except AssertionError as error:
            instead = error
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout_s:.0f} s: {instead}")
        time.sleep(_STEP_S)


def on_this_machine(operator: Operator) -> list[str]:
    """Everything that the routed lab of a site has here, or left: namespaces, run folder, processes."""
    found = [line for folder in _lab_folders(operator) for line in _of(lab_name(folder))]
    links = json.loads(subprocess.run(["ip", "-json", "link"], capture_output=True, check=True).stdout)
    ports = (each["ifname"] for each in links if re.match(r"(et|swp|rail|gptap)\d", each["ifname"]))
    return sorted([*found, *ports])


def _lab_folders(operator: Operator) -> Iterator[Path]:
    """A lab that is down has no folder, its state has."""
    yield from (each / "lab" for each in operator.state.glob("*") if each.is_dir())


def _of(name: str) -> Iterator[str]:
    yield from (str(each) for each in (*Path("/run/netns").glob(f"{name}-*"), *Path("/run/gpufabric").glob(f"{name}*")))
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                yield from [words] if f"/run/gpufabric/{name}/" in words else []


def first_finding(operator: Operator) -> dict[str, Any]:
    """What `validate` of the compute plane names as the first cause."""
    report = operator.json("validate", "--plane", "compute", code=8)
    found: dict[str, Any] = next(each for each in report["findings"] if each["id"] == report["causes"][0])
    return found


class RoutedLab:
    """The lab of an operator's site, asked directly."""

    def __init__(self, operator: Operator) -> None:
        self.operator = operator
        spec = json.loads((operator.lab / "spec.json").read_text())
        self.name: str = spec["routed"]["name"]
        self.switches: list[str] = [each["name"] for each in spec["devices"]]
        self.machine_words: list[str] = []
        """What runs a command in the machine of the lab; empty: it runs here."""
        if "machine" in spec:
            ready = json.loads((operator.lab / "ready.json").read_text())
            self.machine_words = ["ssh", "-F", ready["machine"]["ssh_config"], "fabric"]

    def ask(self, request: str, **arguments: object) -> Any:
        return self.operator.control.ask(request, **arguments)

    def inside(self, name: str, *command: str, text: str = "") -> str:
        """Run a command in the namespace of a switch or host."""
        words = ["ip", "netns", "exec", f"{self.name}-{name}", *command]
        if self.machine_words:
            words = [*self.machine_words, shlex.join(words)]
        done = subprocess.run(words, input=text, capture_output=True, text=True, timeout=_INSIDE_S, check=False)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        return done.stdout

    def kernel(self, name: str) -> dict[str, set[str]]:
        """The next hops of the BGP routes in a switch's kernel."""
        shown = json.loads(self.inside(name, "ip", "-json", "route", "show", "proto", "bgp"))
        return {
            each["dst"]: {hop.get("gateway") or hop["via"]["host"] for hop in each.get("nexthops", [each])}
            for each in shown
        }

    def established(self, name: str) -> dict[str, bool]:
        """Which sessions of the default VRF are up, as FRR says."""
        found = self.ask("sessions", device=name)
        return {each["neighbor"]: each["state"] == "established" for each in found if each["vrf"] == "default"}

    def assert_both_tiers_agree(self, *names: str) -> None:
        """FRR and the kernel have the sessions, routes and next hops that the simulation has."""
        for name in names or self.switches:
            simulated = self.ask("routing", device=name)["simulated"]
            assert self.established(name) == simulated["sessions"], name
            assert _hops(self.ask("rib", device=name)) == _hops(simulated["rib"]), name

    def assert_bonds_talk(self, *names: str) -> None:
        """Each bond of these switches has found somebody by LACP, and uses every member."""
        for name in names or self.switches:
            shown = json.loads(self.inside(name, "ip", "-json", "-details", "link", "show"))
            for bond in (each for each in shown if each.get("linkinfo", {}).get("info_kind") == "bond"):
                members = [each for each in shown if each.get("master") == bond["ifname"]]
                found = bond["linkinfo"]["info_data"].get("ad_info", {})
                assert found.get("partner_mac", _NOBODY) != _NOBODY, (name, bond["ifname"])
                assert found["num_ports"] == len(members), (name, bond["ifname"])

    def assert_next_hops_of_the_design(self, network: Network, fabric: str) -> int:
        """The kernel of every leaf has these next hops to other leaves and to spines, and no more; of how many routes.

        Not to the other leaf of its pair, to which there is another way.
        """
        circuits = [each for each in network.circuits if each.is_underlay and each.link.fabric == fabric]
        leaves, routes = {each.link.lower.device for each in circuits}, 0
        for leaf in leaves:
            up = {each.link.upper.device: each.upper_address for each in circuits if each.link.lower.device == leaf}
            found, pair = self.kernel(leaf), network.device(leaf).pair
            others = [network.device(each) for each in leaves - {leaf}]
            wanted = {str(each.loopback): {*up.values()} for each in others if pair is None or each.pair != pair}
            wanted |= {str(network.device(spine).loopback): {address} for spine, address in up.items()}
            assert {prefix: found.get(prefix) for prefix in wanted} == wanted, leaf
            routes += len(wanted)
        return routes


def _hops(rib: Any) -> dict[str, tuple[str, list[list[str]]]]:
    return {prefix: (route["protocol"], sorted(route["next_hops"])) for prefix, route in rib.items()}
