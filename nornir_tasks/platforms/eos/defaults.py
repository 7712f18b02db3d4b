"""What others' lines make of EOS's defaults: ``interface defaults``, and the mode of ports.

Gone through for this: each row and block of platforms/eos with ``hidden``. Of the others no line is known that changes
what they mean from elsewhere (pyavd 6.4.0, um-eos): each is a setting of its own line.
"""

import re
from collections.abc import Iterator

from nornir_tasks.platforms import defaults as shared
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.defaults import FACTORY, Decides, Defaults

ETHERNET = "interface Ethernet"
"""What ``ethernet`` in ``interface defaults`` is about: aristanetworks/avd at 3cac535c asks for the word in the
interface's name (eos_validate_state_utils/mixins.py)."""

_BLOCK = "interface defaults"
_MODES = ("switchport default mode routed",)
_KNOWN = {"ethernet / shutdown", "ethernet / no shutdown", "ethernet"}
_MTU = re.compile(r"mtu (\d+)")
_FACTORY_MTU_BYTES = 1500
_ROUTED = re.compile(r"interface (?:Vlan\d+|\S+\.\d+)")
"""What is routed without saying so."""


def defaults(running: ConfigTree) -> Defaults:
    """The defaults of a switch, by its whole running configuration."""
    block = running.children.get(_BLOCK)
    others = tuple(_modes(running))
    if block is None:
        return Defaults(others=others) if others else FACTORY
    # aristanetworks/avd at 3cac535c, eos/interface-defaults.j2 and its schema: the lines of the block
    is_shut = block.get("ethernet", "shutdown") is not None
    found = next(filter(None, map(_MTU.fullmatch, block.children)), None)
    return Defaults(
        is_shut=is_shut,
        mtu_bytes=int(found[1]) if found else None,
        others=(*others, *_of_block(block)),
    )


def _modes(running: ConfigTree) -> Iterator[Decides]:
    """eos.arista.com, "Changing the switchport default mode": all ports are routed; not what is printed then."""
    for line in _MODES:
        if line in running.children:
            yield Decides(
                (line,),
                _has_ports,
                "switchport default mode access: whether 'no switchport' is printed otherwise is not published",
                "type 'no switchport' on ports of others that should be routed, then 'switchport default mode access'",
            )


def _has_ports(rendered: ConfigTree) -> bool:
    return any(text.startswith((ETHERNET, "interface Port-Channel")) for text in rendered.children)


def _of_block(block: ConfigTree) -> Iterator[Decides]:
    for path, node in block.walk():
        line = " / ".join(path)
        if found := _MTU.fullmatch(line):
            if int(found[1]) == _FACTORY_MTU_BYTES:
                continue
            yield Decides(
                (_BLOCK, *path),
                _relies_on_mtu,
                "no other MTU than the factory's: this model takes no line of it on a port",
                "take the line out, and type the MTU on the interfaces of others that need it",
            )
        elif line not in _KNOWN and not node.children:
            yield Decides(
                (_BLOCK, *path),
                lambda _: True,
                "in this block 'mtu' and 'ethernet' with 'shutdown' alone: what else it changes is not known",
                "type what the line sets on the interfaces that need it, and take it out of the block",
            )


def _relies_on_mtu(rendered: ConfigTree) -> bool:
    """Is there a routed port without an MTU of its own? Only models that take none on a port have some."""
    return any(_is_routed(node) and not _says_mtu(node) for node in rendered.children.values())


def _is_routed(port: ConfigTree) -> bool:
    return _ROUTED.fullmatch(port.text) is not None or "no switchport" in port.children


def _says_mtu(port: ConfigTree) -> bool:
    return any(line.startswith("mtu ") for line in port.children)


def spelt_out(tree: ConfigTree, found: Defaults) -> ConfigTree:
    """A part of what runs, with what its ports leave to these defaults: as a switch of the factory would print it."""
    if not found.is_shut and found.mtu_bytes is None:
        return tree

    def unsaid(port: ConfigTree) -> tuple[str, ...]:
        is_up = "no shutdown" in port.children or not port.text.startswith(ETHERNET)
        has_mtu = found.mtu_bytes is None or not _is_routed(port) or _says_mtu(port)
        return (
            *(() if is_up or not found.is_shut else ("shutdown",)),
            *(() if has_mtu else (f"mtu {found.mtu_bytes}",)),
        )

    return shared.spelt_out(tree, "interface ", unsaid)
