"""Where an EOS configuration holds secrets.

pyavd 6.4.0: eos__local_users, eos__enable_password, eos__aaa_root, eos__boot, eos__tacacs_servers,
eos__radius_server, eos__snmp_server; router bgp's ``neighbor X password 7 KEY``.
"""

from dataclasses import replace

from nornir_tasks.platforms.eos.passwords import known_by, stored
from nornir_tasks.platforms.secret_places import of_lines

_LINES = of_lines(
    r"username|enable (?:password|secret)|aaa root secret|boot secret|(?:tacacs|radius)-server|snmp-server"
    r"|server \S+|neighbor \S+ password",
    r"^(.*\b(?:secret|password) (?:(?:\d|\da|sha512|\*) )?)(\S+)$",
    r"^(.*\bkey (?:(?:\d|\da) )?)(\S+)(?=$| )",
    r"^(.*\bsnmp-server user .* auth \S+ )(\S+)(?=$| )",
    r"^(.*\bsnmp-server user .* priv \S+ )(\S+)(?=$| )",
    r"^(.*\bsnmp-server community )(\S+)(?=$| )",
    r"^(.*\bsnmp-server host .*\bversion (?:1|2c) )(\S+)(?=$| )",
)

SECRETS = replace(_LINES, stored=stored, known_by=known_by)
