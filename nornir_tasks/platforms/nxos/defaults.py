"""What others' lines make of NX-OS's defaults: ``system default switchport``, and what decides about hidden lines.

Gone through for this: each row and block of platforms/nxos with ``hidden``. Of those that are not named here no line
is known that changes what they mean from elsewhere: each is a setting of its own line.
"""

import re
from collections.abc import Callable, Iterator

from nornir_tasks.platforms import defaults as shared
from nornir_tasks.platforms.config_tree import ConfigTree, Path
from nornir_tasks.platforms.defaults import FACTORY, Decides, Defaults, has_line

PORT = ("interface Ethernet", "interface port-channel")
"""How ports and groups of ports begin, whose admin state depends on whether they are routed."""
ROUTED, SWITCHED = "no switchport", "switchport"

_ROUTED_PORTS = "no system default switchport"
_SHUT_PORTS = "system default switchport shutdown"
_BEGINNINGS = ("no system default ", "system default ", "system jumbomtu ", "vlan dot1q ", "bfd ipv", "router bgp ")

_ROUTED_ONLY = ("ip address ", "ipv6 address ")

_LAYER_2 = "Cisco Nexus 9000 NX-OS Interfaces Configuration Guide, Configuring Layer 2 Interfaces"
_TIMERS = re.compile(r"timers bgp (?!60 180$)\d+ \d+")


def _jumbo_frames(rendered: ConfigTree) -> bool:
    """Has a switched port an MTU of its own? It is refused where the switch's jumbo frames are of another size."""
    return any(
        port.text.startswith(PORT)
        and ROUTED not in port.children
        and any(line.startswith("mtu ") for line in port.children)
        for port in rendered.children.values()
    )


_DECIDING: tuple[tuple[re.Pattern[str], Callable[[ConfigTree], bool], str, str], ...] = (
    # _LAYER_2: "The SVI-level setting overrides the system-level SVI autostate configuration"; not what is printed then
    (
        re.compile(r"no system default interface-vlan autostate|system default interface-vlan no autostate"),
        has_line(r"interface Vlan\d+"),
        "system default interface-vlan autostate: a VLAN of ours without a port that is up would keep its address",
        "type 'no autostate' on the SVIs of others that need it, then 'system default interface-vlan autostate'",
    ),
    # _LAYER_2: "It drops untagged traffic" on all trunks of the device
    (
        re.compile(r"vlan dot1q tag native(?: .*)?"),
        has_line(r"interface \S+ / switchport trunk native vlan \d+"),
        "no vlan dot1q tag native: trunks to hosts have a native VLAN, whose frames have no tag",
        "type 'no vlan dot1q tag native', and tag the VLAN on the trunks of others that need it",
    ),
    # typed on a Nexus 7000 (madnetworks.fr, "MTU-Nexus 7000"): a switched port takes the default "or system-jumboMTU"
    (
        re.compile(r"system jumbomtu (?!9216$)\d+"),
        _jumbo_frames,
        "system jumbomtu 9216: a switched port takes no other MTU than 1500 and that, and ours are to have 9216",
        "agree on it with the owners of switched ports of that size, then type 'system jumbomtu 9216'",
    ),
    # cisco.nxos at 154aa540, nxos_bfd_global: intervals of one family stand beside those of both
    (
        re.compile(r"bfd ipv[46] interval .+"),
        has_line(r"bfd interval .+"),
        "no intervals of one family: they stand above those of both, which the intent says",
        "type 'no' and the line; give ports of others that need other intervals 'bfd interval' of their own",
    ),
)
"""Lines at the top, with what relies on the default, and words for the operator."""


def defaults(running: ConfigTree) -> Defaults:
    """The defaults of a switch, by its whole running configuration.

    ``system default switchport`` and ``no system default switchport shutdown`` say what we take for the factory's.
    """
    found = [line for line in running.children if line.startswith(_BEGINNINGS)]
    others = tuple(each for line in found for each in _of_others(running, line))
    # running configuration of a Nexus 9000, 9.2(4) (document 502903205): both lines, and what ports print with them
    is_declared = _ROUTED_PORTS in found or "system default switchport" in found
    is_routed = _ROUTED_PORTS in found if is_declared else _hide_that_they_are_routed(running)
    return Defaults(is_routed, is_shut=_SHUT_PORTS in found, others=others) if found or is_routed else FACTORY


def _hide_that_they_are_routed(running: ConfigTree) -> bool:
    """Is routed what ports hide, on a switch that does not print which mode is its default?

    Running configuration of a 10.5(2) (bosamart/Cisco-NXOS-VXLAN-EVPN-Fabric-Lab at 76f32787, 03-EVPN/03-NVE_attempt,
    Leaf1.txt): "switchport" is printed, and routed ports have an address and no line of their mode. batfish/batfish at
    cba18733, CiscoNxosPreprocessor, takes the same for evidence. Without any the mode is the factory's.
    """
    ports = [each for each in running.children.values() if each.text.startswith(PORT) and "." not in each.text]
    telling = [any(line == SWITCHED or line.startswith(_ROUTED_ONLY) for line in port.children) for port in ports]
    # a routed port that is down prints neither its mode nor its state there
    is_switched = any(
        ROUTED in port.children or ("shutdown" in port.children and not tells)
        for port, tells in zip(ports, telling, strict=True)
    )
    return any(telling) and not is_switched


def _of_others(running: ConfigTree, line: str) -> Iterator[Decides]:
    for pattern, relies, expected, hint in _DECIDING:
        if pattern.fullmatch(line):
            yield Decides((line,), relies, expected, hint)
    if line.startswith("router bgp "):
        for path in _timers(running.children[line], (line,)):
            yield Decides(
                path,
                has_line(r"router bgp \d+ / template peer \S+ / timers 60 180"),
                "timers bgp 60 180: a template of ours has these, and the switch does not print them",
                "type 'no timers bgp', and the timers on the neighbours of others that need them",
            )


def _timers(process: ConfigTree, above: Path) -> Iterator[Path]:
    """Cisco Nexus 9000 Unicast Routing Configuration Guide: those of the process are its neighbours' default."""
    for text, node in process.children.items():
        if _TIMERS.fullmatch(text):
            yield (*above, text)
        elif text.startswith("vrf "):
            yield from _timers(node, (*above, text))


def hidden_admin_state(port: str, is_routed: bool, found: Defaults) -> str:
    """The line of a port's admin state that is not printed: a routed one is down by default, a switched one up.

    Published configurations of 9.3 and 10.4(2): routed ports print "no shutdown" when up and nothing when down, and
    switched ones that are down print "shutdown". Where switched ports are down by default, groups are up all the same
    (batfish/batfish at cba18733, Interface.java, defaultShutdown; cisco.nxos at 154aa540, nxos.py,
    default_intf_enabled). A subinterface is routed without saying so, and is down like any other.
    """
    is_down = is_routed or "." in port or (found.is_shut and port.startswith("interface Ethernet"))
    return "shutdown" if is_down else "no shutdown"


def spelt_out(tree: ConfigTree, found: Defaults) -> ConfigTree:
    """A part of what runs, with what its ports leave to these defaults: as a switch of the factory would print it.

    A port with nothing on it stays an unused one, whatever it would be.
    """
    if not (found.is_routed or found.is_shut):
        return tree

    def unsaid(port: ConfigTree) -> tuple[str, ...]:
        lines = port.children.keys()
        if "." in port.text:
            return ()
        is_routed = ROUTED in lines or (found.is_routed and SWITCHED not in lines)
        is_used = any(not line.startswith(("description ", "shutdown", "no shutdown")) for line in lines)
        has_state = {"shutdown", "no shutdown"} & lines
        is_down = not has_state and hidden_admin_state(port.text, is_routed, found) == "shutdown"
        return (
            *((ROUTED,) if is_routed and is_used and ROUTED not in lines else ()),
            *(("shutdown",) if is_down else ()),
        )

    return shared.spelt_out(tree, PORT, unsaid)
