"""EOS lines beside the model that say nothing about who reaches whom: patterns over the path of a line."""

_TOP = (
    r"aaa|alias|arp aging|banner|boot|clock|daemon|dns|enable|environment|errdisable|event-monitor"
    r"|hardware counter|hostname|ip (?:name-server|domain|ssh|ftp|http|tftp|radius|tacacs)|lacp|line|lldp"
    r"|load-interval|logging|mac access-list|mac address-table aging-time"
    r"|management (?:api|console|cvx|defaults|security|ssh|telnet|tech-support|accounts)"
    r"|no (?:aaa|enable|logging|service|ip ssh|lldp|snmp-server)|no vlan internal|ntp|prompt|ptp|qos"
    r"|queue-monitor|radius-server|role|sflow"
    r"|service (?:configuration|routing protocols model|unsupported-transceiver)|sntp|snmp-server|spanning-tree"
    r"|system control-plane|tacacs-server|terminal|transceiver|username|vlan internal"
    r"|(?:class-map|policy-map) type (?:copp|control-plane|qos|quality-of-service)"
)
_ON_PORT = (
    r"arp (?:aging|monitor)|carrier-delay|description|dcbx|error-correction|flowcontrol|ipv6 nd|lacp"
    r"|link-debounce|lldp|load-interval|logging|mac timestamp|mtu|no (?:lldp|logging|snmp|autostate)|phy"
    r"|priority-flow-control|ptp|qos|queue-monitor|sflow|snmp|spanning-tree|speed|storm-control|transceiver"
    r"|tx-queue|uc-tx-queue"
)
HARMLESS = (
    rf"(?s)(?:{_TOP})\b.*",
    rf"interface [^ ]+ / (?:{_ON_PORT})\b.*",
    r"(?s)(?:vrf instance|vlan) \S+ / (?:description|name)\b.*",
    r"router bgp \d+ / (?:.* / )?(?:bgp log-neighbor-changes|neighbor \S+ description|timers)\b.*",
)
