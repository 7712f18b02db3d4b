"""The network namespace that acts as the leaves of lab machines.

Each NIC of a machine is a TAP in it, with the switch's address of that link, so a machine sees its gateway as on a
leaf, jumbo frames pass, and packets are forwarded from rail to rail and from machine to machine. A capture there shows
what a leaf would receive. It runs no BGP and no QoS: the twins simulate the switches' own behaviour. What stands behind
the members of a bond is in :mod:`nornir_tasks.lab.machines.bond_ends`.
"""

import hashlib
import json
from pathlib import Path

from nornir_tasks.lab.machines import bond_ends
from nornir_tasks.lab.machines.commands import run
from nornir_tasks.lab.machines.plan import MachinePlan, leaf_port, leaf_prefix

LEAF_MTU_BYTES = 9216
IP_TIMEOUT_S = 30.0


class LeafNamespace:
    """The namespace of one lab, by the lab's folder."""

    def __init__(self, directory: Path) -> None:
        digest = hashlib.sha256(str(directory.resolve()).encode()).hexdigest()[:8]
        self.name = f"gpuf-{digest}"
        self._digest = digest

    def exists(self) -> bool:
        found = json.loads(run(["ip", "-j", "netns", "list"], IP_TIMEOUT_S) or "[]")
        return any(each["name"] == self.name for each in found)

    def make(self) -> bool:
        """Make it, with forwarding between its links. False: it exists already."""
        if self.exists():
            return False
        run(["ip", "netns", "add", self.name], IP_TIMEOUT_S)
        run(["ip", "-n", self.name, "link", "set", "lo", "up"], IP_TIMEOUT_S)
        # Each address answers on its own link only, as on separate leaves; no IPv6 unless configured.
        settings = {
            "net/ipv4/ip_forward": "1",
            "net/ipv4/conf/all/arp_ignore": "1",
            "net/ipv4/conf/all/rp_filter": "0",
            "net/ipv4/conf/default/rp_filter": "0",
            "net/ipv4/icmp_ratelimit": "0",
            "net/ipv6/conf/default/disable_ipv6": "1",
        }
        script = "\n".join(
            f"[ ! -e /proc/sys/{key} ] || echo {value} > /proc/sys/{key}" for key, value in settings.items()
        )
        run(["ip", "netns", "exec", self.name, "sh", "-ec", script], IP_TIMEOUT_S)
        return True

    def remove(self) -> None:
        """Remove it with every TAP and process of ours in it, and TAPs that were not moved into it yet."""
        if self.exists():
            bond_ends.end(self.name)
            run(["ip", "netns", "delete", self.name], IP_TIMEOUT_S)
        for link in json.loads(run(["ip", "-j", "link", "show"], IP_TIMEOUT_S)):
            if link["ifname"].startswith(f"t{self._digest}"):
                run(["ip", "link", "delete", link["ifname"]], IP_TIMEOUT_S)

    def prepare(self, machine: MachinePlan) -> dict[str, str]:
        """Make a machine's TAPs where QEMU can open them: NIC name -> interface. Removes leftovers of earlier runs."""
        self.forget(machine.index)
        taps = {nic.name: f"t{self._digest}{machine.index:x}n{place:x}" for place, nic in enumerate(machine.nics)}
        lines = [f"tuntap add {tap} mode tap" for tap in taps.values()]
        lines += [f"link set {tap} mtu {LEAF_MTU_BYTES}" for tap in taps.values()]
        run(["ip", "-batch", "-"], IP_TIMEOUT_S, stdin="\n".join(lines) + "\n")
        return taps

    def adopt(self, machine: MachinePlan, taps: dict[str, str]) -> None:
        """Move the TAPs in (QEMU has them open by now), under their own names, with the leaf's addresses.

        Those of routed NICs stay for the routed lab. Bonds are answered once ``answer`` was called.
        """
        moves = [f"link set {taps[nic.name]} netns {self.name}" for nic in machine.own_nics]
        run(["ip", "-batch", "-"], IP_TIMEOUT_S, stdin="\n".join(moves) + "\n")
        lines: list[str] = []
        for nic in machine.own_nics:
            port = leaf_port(machine, nic)
            lines.append(f"link set {taps[nic.name]} name {port}")
            lines.append(f"link set {port} mtu {LEAF_MTU_BYTES} alias {machine.name}:{nic.name}")
            lines += [f"addr add {nic.leaf_address} dev {port}"] * bool(nic.leaf_address)
            lines.append(f"link set {port} up")
        run(["ip", "-n", self.name, "-batch", "-"], IP_TIMEOUT_S, stdin="\n".join(lines) + "\n")
        bond_ends.make(self.name, machine)

    def answer(self, machine: MachinePlan, log_directory: Path) -> bool:
        """Have a pair of leaves at each of the machine's bonds. False: they were there, or it has no bonds."""
        return bond_ends.serve(self.name, machine, log_directory)

    def recable(self, index: int, nic: str, address: str) -> None:
        """Another port's address at the leaf's end of a NIC's cable; "" for a port that has none for hosts."""
        port = f"{leaf_prefix(index)}{nic}"
        lines = [f"addr flush dev {port} scope global"] + [f"addr add {address} dev {port}"] * bool(address)
        run(["ip", "-n", self.name, "-batch", "-"], IP_TIMEOUT_S, stdin="\n".join(lines) + "\n")

    def holds(self, machine: MachinePlan) -> bool:
        """Does every NIC that is not routed, and every bond of the machine, end here, under its leaf's name?"""
        if not self.exists():
            return False
        found = json.loads(run(["ip", "-n", self.name, "-j", "link", "show"], IP_TIMEOUT_S))
        ends = {leaf_port(machine, nic) for nic in machine.own_nics}
        return ends <= {each["ifname"] for each in found} and bond_ends.are_made(self.name, machine)

    def forget(self, index: int) -> None:
        """Remove the leaves' ends of the machine at this place among the hosts; keep the namespace."""
        bond_ends.end(self.name, index)
        for link in json.loads(run(["ip", "-n", self.name, "-j", "link", "show"], IP_TIMEOUT_S)):
            if link["ifname"].startswith(leaf_prefix(index)):
                run(["ip", "-n", self.name, "link", "delete", link["ifname"]], IP_TIMEOUT_S)
        for link in json.loads(run(["ip", "-j", "link", "show"], IP_TIMEOUT_S)):
            if link["ifname"].startswith(f"t{self._digest}{index:x}n"):
                run(["ip", "link", "delete", link["ifname"]], IP_TIMEOUT_S)
