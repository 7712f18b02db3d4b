"""Toy OS: EOS under another name."""

from dataclasses import replace

from nornir_tasks.platforms.toyos.candidate import candidate, server_changes
from nornir_tasks.platforms.toyos.capabilities import capabilities
from nornir_tasks.platforms.toyos.disruption import disruption
from nornir_tasks.platforms.toyos.observe import OBSERVING
from nornir_tasks.platforms.toyos.ownership import OWNERSHIP, PROTECTED
from nornir_tasks.platforms.toyos.parse import parse
from nornir_tasks.platforms.toyos.port_map import port_name, sort_key

from nornir_tasks.platforms.eos import PLATFORM as EOS

PLATFORM = replace(
    EOS,
    facts=replace(EOS.facts, os="toyos", capabilities=capabilities, port_name=port_name, sort_key=sort_key),
    file_suffix=".toy",
    ownership=OWNERSHIP,
    parse=parse,
    candidate=candidate,
    server_changes=server_changes,
    disruption=disruption,
    protected=PROTECTED,
    observing=OBSERVING,
)
