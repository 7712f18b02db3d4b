"""Arista EOS: capabilities, configuration, and the owner of each line."""

from types import MappingProxyType

from nornir_tasks.design.model.capabilities import OsFacts
from nornir_tasks.platforms.eos.candidate import candidate, server_changes, setting
from nornir_tasks.platforms.eos.canonical import canonical
from nornir_tasks.platforms.eos.capabilities import (
    LOAD_BALANCING,
    NOT_OFFERED,
    RELEASE_PATTERN,
    RELEASES,
    TAKEN,
    TRAINS,
    capabilities,
)
from nornir_tasks.platforms.eos.counters import COUNTING
from nornir_tasks.platforms.eos.day0 import FIRST_BOOT
from nornir_tasks.platforms.eos.defaults import defaults, spelt_out
from nornir_tasks.platforms.eos.dependents import ANNOUNCING, DEPENDENTS, FACTORY_LINES
from nornir_tasks.platforms.eos.disruption import disruption
from nornir_tasks.platforms.eos.harmless import HARMLESS
from nornir_tasks.platforms.eos.layer1 import fec_line, speed_word
from nornir_tasks.platforms.eos.let_in import HEARS
from nornir_tasks.platforms.eos.lossless import LOSSLESS
from nornir_tasks.platforms.eos.observe import OBSERVING
from nornir_tasks.platforms.eos.ownership import OWNERSHIP, PROTECTED, management_path
from nornir_tasks.platforms.eos.parse import parse
from nornir_tasks.platforms.eos.port_map import lag_number, port_name, sort_key
from nornir_tasks.platforms.eos.secret_places import SECRETS
from nornir_tasks.platforms.eos.tree import community_word, seconds, to_text, to_tree
from nornir_tasks.platforms.eos.virtual import IMAGE
from nornir_tasks.platforms.platform import Platform
from nornir_tasks.platforms.vlan_lists import VLAN_ENTRY, allowed_vlans, open_trunks

PLATFORM = Platform(
    facts=OsFacts(
        os="eos",
        management_port="Management1",
        releases=RELEASES,
        trains=TRAINS,
        capabilities=capabilities,
        port_name=port_name,
        sort_key=sort_key,
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
    announcing=ANNOUNCING,
    parse=parse,
    candidate=candidate,
    server_changes=server_changes,
    disruption=disruption,
    protected=PROTECTED,
    harmless=HARMLESS,
    hears=HEARS,
    lossless=LOSSLESS,
    management_path=management_path,
    open_trunks=open_trunks,
    vlan_entry=VLAN_ENTRY,
    secrets=SECRETS,
    observing=OBSERVING,
    counting=COUNTING,
    first_boot=FIRST_BOOT,
    image=IMAGE,
    api_port=443,
    template_filters=MappingProxyType(
        {
            "seconds": seconds,
            "speed_word": speed_word,
            "fec_line": fec_line,
            "community_word": community_word,
            "allowed_vlans": allowed_vlans,
            "lag_number": lag_number,
        }
    ),
)
