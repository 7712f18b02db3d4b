"""Who an EOS switch asks for the origins of prefixes: ``rpki`` within the BGP process (tests/corpus/eos/NOTES.md).

A cache is called by its address here (as in NLNOG/bgpfilterguide guides/reject_invalids.md); others' names are others'.
"""

import re

from nornir_tasks.design.config.bgp import Validator
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.lines import Block, leave, row, starting, text, yes

DEFAULT_PORT = 323
"""IANA's, without a word for it (afenioux.fr, after eos.arista.com/bgp-origin-validation-rpki)."""
_CACHE = "rpki cache "
_ASKS = "rpki origin-validation"
_OF_OTHERS = "ebgp local"
"""What is learnt from other networks is compared with what the caches say."""
_HOST = re.compile(r"host (\S+)(?: vrf (\S+))?(?: port (\d+))?")

BLOCKS = (
    Block((r"router bgp ", _CACHE), (row(_HOST.pattern, "host", text, single="host"),)),
    Block((r"router bgp ", rf"{_ASKS}$"), (row(_OF_OTHERS, "asks", yes, single="ebgp"),)),
)


def in_one_spelling(tree: ConfigTree) -> None:
    """Caches at the default port without a word for it, however they were entered; in place."""
    for process in starting(tree, "router bgp "):
        for cache in starting(process, _CACHE):
            for line in [*cache.children]:
                found = _HOST.fullmatch(line)
                if found and found[3] == str(DEFAULT_PORT):
                    cache.add(line.removesuffix(f" port {DEFAULT_PORT}"), cache.children.pop(line).line)


def is_validation(line: str) -> bool:
    """Is it one of the blocks within BGP that are read here?"""
    return line == _ASKS or line.startswith(_CACHE)


def parse_validators(process: ConfigTree, left: ConfigTree) -> tuple[Validator, ...]:
    """All of the process, if what other networks announce is compared with them; what is unknown goes to ``left``."""
    asks = process.children.get(_ASKS) or ConfigTree()
    caches = [*starting(process, _CACHE)]
    found = {each.text: validator for each in caches if (validator := _validator(each)) is not None}
    if _OF_OTHERS not in asks.children or not found:
        leave(left, (process.text,), [line for line in process.children.values() if is_validation(line.text)])
        return ()
    leave(left, (process.text, _ASKS), [line for line in asks.children.values() if line.text != _OF_OTHERS])
    for cache in caches:
        host = "" if cache.text not in found else _host_of(cache)
        leave(left, (process.text, cache.text), [line for line in cache.children.values() if line.text != host])
    return tuple(found.values())


def _validator(cache: ConfigTree) -> Validator | None:
    """The one that a block is about, if that is called by its address."""
    host = _HOST.fullmatch(_host_of(cache))
    if host is None or host[1] != cache.text.removeprefix(_CACHE):
        return None
    return Validator(host[1], int(host[3] or DEFAULT_PORT), host[2])


def _host_of(cache: ConfigTree) -> str:
    return next((line for line in cache.children if line.startswith("host ")), "")
