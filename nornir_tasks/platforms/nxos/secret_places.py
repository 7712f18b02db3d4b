"""Where an NX-OS configuration holds secrets.

cisco.nxos 11.1.0: nxos_user, nxos_snmp_server, nxos_aaa_server, nxos_bgp_neighbor_address_family (``password 3 KEY``).
"""

from dataclasses import replace

from nornir_tasks.platforms.nxos.passwords import known_by, stored
from nornir_tasks.platforms.secret_places import of_lines

_LINES = of_lines(
    r"username|enable secret|(?:tacacs|radius)-server|snmp-server|password [037]",
    r"^(.*\b(?:secret|password) (?:\d )?)(\S+)(?=$| )",
    r"^(.*\bkey (?:[0567] )?\"?)([^\s\"]+)(?=$|[ \"])",
    r"^(.*\bsnmp-server user .* auth \S+ )(\S+)(?=$| )",
    r"^(.*\bsnmp-server user .* priv (?:(?:aes-128|des) )?)(\S+)(?=$| )",
    r"^(.*\bsnmp-server community )(\S+)(?=$| )",
    r"^(.*\bsnmp-server host .*\bversion (?:1|2c) )(\S+)(?=$| )",
)

SECRETS = replace(_LINES, stored=stored, known_by=known_by)
