"""NVIDIA Cumulus Linux with NVUE: capabilities, configuration, and the owners of its parts."""

import json
from functools import lru_cache
from types import MappingProxyType

from nornir_tasks.design.model.capabilities import OsFacts
from nornir_tasks.platforms.config_tree import ConfigTree
from nornir_tasks.platforms.defaults import FACTORY, Defaults
from nornir_tasks.platforms.nvue.access_lists import protocol_word
from nornir_tasks.platforms.nvue.candidate import candidate, server_changes
from nornir_tasks.platforms.nvue.capabilities import LOAD_BALANCING, RELEASES, TAKEN, TRAINS, capabilities
from nornir_tasks.platforms.nvue.counters import COUNTING
from nornir_tasks.platforms.nvue.day0 import FIRST_BOOT
from nornir_tasks.platforms.nvue.dependents import ALIKE, ANNOUNCING, DEPENDENTS, DISPLACING, FACTORY_LINES
from nornir_tasks.platforms.nvue.disruption import disruption
from nornir_tasks.platforms.nvue.harmless import HARMLESS
from nornir_tasks.platforms.nvue.lossless import LOSSLESS
from nornir_tasks.platforms.nvue.observe import OBSERVING
from nornir_tasks.platforms.nvue.ownership import OWNERSHIP, PROTECTED, management_path
from nornir_tasks.platforms.nvue.parse import parse
from nornir_tasks.platforms.nvue.port_map import SPLIT_PART, port_name, sort_key
from nornir_tasks.platforms.nvue.relay import uplinks
from nornir_tasks.platforms.nvue.secret_places import SECRETS
from nornir_tasks.platforms.nvue.tree import VLAN_ENTRY, empty_lists, open_trunks, setting, to_text, to_tree
from nornir_tasks.platforms.nvue.vendor_profiles import vendor_profiles
from nornir_tasks.platforms.nvue.virtual import IMAGE
from nornir_tasks.platforms.platform import Platform


def canonical(tree: ConfigTree, defaults: Defaults = FACTORY) -> ConfigTree:  # noqa: ARG001 - none changes on NVUE
    """The same tree: a revision keeps every setting, also where it equals a default.

    ``nv config show`` prints ``link state up`` and ``type swp`` (CumulusNetworks/docs cumulus-linux-514, NVUE-API.md,
    "Replace an Entire Configuration"); ``filled=false`` leaves out only what was not set.
    """
    return tree


@lru_cache(maxsize=8192, typed=True)
def _json(value: object) -> str:
    """One scalar as JSON, which is YAML 1.2: ``"on"`` stays a string. Jinja's own filter escapes for HTML."""
    return json.dumps(value, ensure_ascii=False)


PLATFORM = Platform(
    facts=OsFacts(
        os="nvue",
        management_port="eth0",
        releases=RELEASES,
        trains=TRAINS,
        taken=TAKEN,
        capabilities=capabilities,
        port_name=port_name,
        sort_key=sort_key,
        split_part=SPLIT_PART,
        unnumbered=RELEASES,
        load_balancing=LOAD_BALANCING,
        # its manual, "Do not use an underscore"; nvueschema 0.1.0, models/v5_14.py: hostname is one of RFC 1123
        not_in_names={"_": "Cumulus Linux refuses a hostname with an underscore"},
    ),
    file_suffix=".yaml",
    to_tree=to_tree,
    to_text=to_text,
    canonical=canonical,
    ownership=OWNERSHIP,
    setting=setting,
    alike=ALIKE,
    factory=FACTORY_LINES,
    dependents=DEPENDENTS,
    displacing=DISPLACING,
    announcing=ANNOUNCING,
    parse=parse,
    candidate=candidate,
    server_changes=server_changes,
    disruption=disruption,
    protected=PROTECTED,
    harmless=HARMLESS,
    lossless=LOSSLESS,
    management_path=management_path,
    open_trunks=open_trunks,
    empty_lists=empty_lists,
    vlan_entry=VLAN_ENTRY,
    obstacles=vendor_profiles,
    secrets=SECRETS,
    observing=OBSERVING,
    counting=COUNTING,
    first_boot=FIRST_BOOT,
    image=IMAGE,
    api_port=8765,
    template_filters=MappingProxyType({"tojson": _json, "protocol_word": protocol_word, "relay_uplinks": uplinks}),
)
