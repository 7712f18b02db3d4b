"""Cisco NX-OS on Nexus 9000: the pure part."""

from types import MappingProxyType

from nornir_tasks.design.model.capabilities import OsFacts
from nornir_tasks.platforms.nxos import dscp, parse_qos
from nornir_tasks.platforms.nxos.candidate import candidate
from nornir_tasks.platforms.nxos.canonical import canonical
from nornir_tasks.platforms.nxos.capabilities import (
    LOAD_BALANCING,
    NOT_OFFERED,
    OS,
    RELEASE_PATTERN,
    RELEASES,
    TAKEN,
    TRAINS,
    capabilities,
)
from nornir_tasks.platforms.nxos.channels import live_obstacles
from nornir_tasks.platforms.nxos.communities import to_words
from nornir_tasks.platforms.nxos.config_text import to_text, to_tree
from nornir_tasks.platforms.nxos.counters import COUNTING
from nornir_tasks.platforms.nxos.day0 import FIRST_BOOT
from nornir_tasks.platforms.nxos.defaults import defaults, spelt_out
from nornir_tasks.platforms.nxos.dependents import ANNOUNCING, DEPENDENTS, DISPLACING, FACTORY_LINES
from nornir_tasks.platforms.nxos.disruption import disruption
from nornir_tasks.platforms.nxos.fec import fec_word
from nornir_tasks.platforms.nxos.harmless import HARMLESS
from nornir_tasks.platforms.nxos.lossless import LOSSLESS
from nornir_tasks.platforms.nxos.observe import OBSERVING
from nornir_tasks.platforms.nxos.ownership import OWNERSHIP, PROTECTED, management_path
from nornir_tasks.platforms.nxos.parse import parse
from nornir_tasks.platforms.nxos.patch import server_changes, setting
from nornir_tasks.platforms.nxos.port_map import SPLIT_PART, lag_number, port_name, sort_key
from nornir_tasks.platforms.nxos.secret_places import SECRETS
from nornir_tasks.platforms.nxos.virtual import IMAGE
from nornir_tasks.platforms.platform import Platform
from nornir_tasks.platforms.vlan_lists import VLAN_ENTRY, allowed_vlans, open_trunks

PLATFORM = Platform(
    facts=OsFacts(
        os=OS,
        management_port="mgmt0",
        releases=RELEASES,
        trains=TRAINS,
        capabilities=capabilities,
        port_name=port_name,
        sort_key=sort_key,
        split_part=SPLIT_PART,
        load_balancing=LOAD_BALANCING,
        release_pattern=RELEASE_PATTERN,
        taken=TAKEN,
        not_offered=NOT_OFFERED,
    ),
    file_suffix=".cfg",
    to_tree=to_tree,
    to_text=to_text,
    canonical=canonical,
    defaults=defaults,
    spelt_out=spelt_out,
    ownership=OWNERSHIP,
    setting=setting,
    factory=FACTORY_LINES,
    dependents=DEPENDENTS,
    displacing=DISPLACING,
    announcing=ANNOUNCING,
    parse=parse,
    candidate=candidate,
    server_changes=server_changes,
    disruption=disruption,
    management_path=management_path,
    protected=PROTECTED,
    harmless=HARMLESS,
    lossless=LOSSLESS,
    open_trunks=open_trunks,
    live_obstacles=live_obstacles,
    vlan_entry=VLAN_ENTRY,
    secrets=SECRETS,
    observing=OBSERVING,
    counting=COUNTING,
    first_boot=FIRST_BOOT,
    image=IMAGE,
    api_port=443,
    template_filters=MappingProxyType(
        {
            "dscp_list": dscp.to_text,
            "class_suffix": parse_qos.class_suffix,
            "queuing_policy": parse_qos.queuing_policy,
            "fec_word": fec_word,
            "allowed_vlans": allowed_vlans,
            "lag_number": lag_number,
            "communities": to_words,
        }
    ),
)
