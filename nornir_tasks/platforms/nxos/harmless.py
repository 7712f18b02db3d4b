"""NX-OS lines beside the model that say nothing about who reaches whom: patterns over the path of a line."""

_TOP = (
    r"aaa|banner|boot|callhome|cdp|cli alias|clock|control-plane|copp|crypto (?:key|ca)|enable|errdisable"
    r"|feature|hardware profile buffer|hostname|icam|install"
    r"|ip (?:domain|host|name-server|ssh|ftp|tftp|radius|tacacs)|line|lldp|logging|mac access-list"
    r"|mac address-table aging-time"
    r"|no (?:aaa|cdp|feature|ip domain|lldp|logging|ntp|password|snmp-server|ssh|telnet)|ntp|nxapi|password"
    r"|power|ptp|radius-server|rmon|role|scp|sflow|snmp-server|spanning-tree|ssh|switchname|system qos"
    r"|tacacs-server|telnet|terminal|username|userpassphrase|vdc|version"
    r"|(?:class-map|policy-map) type (?:control-plane|network-qos|qos|queuing)"
)
_ON_PORT = (
    r"beacon|cdp|delay|description|duplex|fec|flowcontrol|hardware|lacp|link|lldp|load-interval|logging|mtu"
    r"|negotiate|no (?:cdp|lldp|logging|negotiate|snmp)|priority-flow-control|ptp|service-policy type|snmp"
    r"|spanning-tree|speed|storm-control|udld"
)
HARMLESS = (
    rf"(?s)(?:{_TOP})\b.*",
    rf"interface [^ ]+ / (?:{_ON_PORT})\b.*",
    r"(?s)(?:vrf context|vlan) \S+ / (?:description|name)\b.*",
    r"router bgp \S+ / (?:.* / )?(?:description|(?:no )?log-neighbor-changes|timers|reconnect-interval)\b.*",
)
