"""NVUE settings beside the model that say nothing about who reaches whom: patterns over the path of a line."""

_SYSTEM = (
    r"aaa|api|cli|config|control-plane|counter|date-time|disk|dns|gnmi-server|hostname|lldp|log|message|ntp"
    r"|ptp|reboot|security|sflow|snmp-server|ssh-server|ssl-server|syslog|telemetry|timezone|tls|trap|wjh"
)
_ON_PORT = r'description|link / (?!state|breakout|protodown)|lldp|ptp|qos|sflow|telemetry|type: "(?:eth|loopback|swp)"'
HARMLESS = (
    rf"(?s)system / (?:{_SYSTEM})\b.*",
    r"(?s)service / (?:dns|lldp|ntp|ptp|sflow|snmp-server|syslog)\b.*",
    r"(?s)qos / .*",
    rf"(?s)interface / \S+ / (?:{_ON_PORT}).*",
    r"(?s)bridge / domain / \S+ / (?:ageing|mac-address|stp)\b.*",
    r'bridge / domain / \S+ / type: "vlan-aware"',
    r"(?s)vrf / \S+ / router / bgp / .*(?:description|timers)\b.*",
)
