"""The effect on traffic of each kind of change on NX-OS, with its source; without a source, the next worse class."""

from nornir_tasks.design.model.capabilities import Disruption
from nornir_tasks.platforms.config_tree import Change
from nornir_tasks.platforms.line_classes import LineClasses

_BGP = r"router bgp \S+(?: / vrf \S+)?"

CLASSES: tuple[tuple[str, Disruption], ...] = (
    (r"(?s:banner motd.*)", Disruption.NONE),
    # What the switch is managed by: no packet of hosts passes there, but our own session may end (PROTECTED).
    (
        r"interface mgmt0(?: / (?:vrf member|ip address) .*)?|vrf context management(?: / ip route .*)?",
        Disruption.NONE,
    ),
    # "brief period of traffic loss" on all ports: Cisco Nexus 9000 QoS Configuration Guide 10.5(x), "Configuring
    # Queuing and Scheduling"; network-qos changes re-carve the same buffers.
    (r"policy-map type (?:queuing|network-qos) .*", Disruption.DATAPLANE_BLIP),
    (r"system qos / .*", Disruption.DATAPLANE_BLIP),
    # Buffers are carved when PFC is turned on: the same guide, "Configuring Priority Flow Control"; ports do not flap.
    (r"interface \S+ / priority-flow-control mode .*", Disruption.DATAPLANE_BLIP),
    # "Following config commands require copy r s + reload": show system config reload-pending of a Nexus, which lists
    # "hardware profile dlb ; dlb-interface ...".
    (r"hardware profile dlb(?: / .*)?", Disruption.RELOAD),
    # Hash changes move flows to other links and reorder them once: Interfaces Configuration Guide 10.3(x).
    (r"ip load-sharing .*", Disruption.DATAPLANE_BLIP),
    (r"port-channel load-balance .*", Disruption.DATAPLANE_BLIP),
    # The root may be another switch afterwards, and ports wait for their new roles; all trees restart in another
    # mode.
    (r"spanning-tree .*", Disruption.DATAPLANE_BLIP),
    # A cage that is broken out, or no longer, loses its port or ports with all they hold ("removes the existing
    # interface configurations"): Interfaces Configuration Guide 10.6(x), Overview.
    (r"interface breakout .*", Disruption.PORT_FLAP),
    # Both ends must have the same speed and FEC for the link to be up, and either both or none negotiate: the same
    # guide, "Configuring Basic Interface Parameters".
    (r"interface \S+ / (?:no )?(?:speed|fec|negotiate) .*", Disruption.PORT_FLAP),
    # A port joins or leaves its group, or the group goes: the member is down until LACP has negotiated.
    (r"interface Ethernet\S+ / (?:no )?channel-group .*|interface port-channel\d+", Disruption.PORT_FLAP),
    # A group below its least number of members goes down; whether members are suspended changes on a shut group only.
    (r"interface port-channel\d+ / (?:no )?lacp (?:min-links .*|suspend-individual)", Disruption.PORT_FLAP),
    (r"interface \S+ / (?:no )?lacp rate .*", Disruption.DATAPLANE_BLIP),
    (
        r"interface port-channel\d+ / (?:no )?(?:switchport trunk allowed vlan|spanning-tree).*",
        Disruption.DATAPLANE_BLIP,
    ),
    (r"interface port-channel\d+ / (?:no )?switchport .*", Disruption.PORT_FLAP),
    # Groups over both switches stay down until both have agreed; what counts after a restart changes nothing now.
    (r"vpc domain \d+(?: / (?:no )?(?:role|peer-keepalive) .*)?", Disruption.PORT_FLAP),
    (r"interface port-channel\d+ / (?:no )?vpc .*", Disruption.PORT_FLAP),
    (r"vpc domain \d+ / (?:no )?(?:delay restore .*|auto-recovery|.* synchronize)", Disruption.NONE),
    # One bridge more or less: trees are made again (Cisco document 118858).
    (r"vpc domain \d+ / (?:no )?peer-(?:gateway|switch)", Disruption.DATAPLANE_BLIP),
    # Only tagged frames are affected: the port stays up.
    (
        r"interface Ethernet[\d/]+\.\d+(?: / (?:(?:no )?shutdown|(?:encapsulation|ip(?:v6)? address|vrf member) .*))?"
        r"|interface Ethernet\S+ / (?:no )?switchport trunk allowed vlan.*",
        Disruption.DATAPLANE_BLIP,
    ),
    # Flows that the new rules do not permit end; no other packet is lost, as an update is atomic by default (Security
    # Configuration Guide 9.x, Atomic ACL Updates).
    (r"ip(?:v6)? access-list \S+(?: / .*)?", Disruption.DATAPLANE_BLIP),
    (r"interface \S+ / (?:ip|ipv6) (?:port )?(?:access-group|traffic-filter) .*", Disruption.DATAPLANE_BLIP),
    # Link state follows the line.
    (r"interface \S+ / (?:no )?(?:shutdown|switchport)", Disruption.PORT_FLAP),
    (r"interface \S+ / (?:ip address|vrf member) .*", Disruption.PORT_FLAP),
    # No source says that a port flaps with its IPv6 address, nor that it does not: as with IPv4.
    (r"interface \S+ / ipv6 address .*", Disruption.PORT_FLAP),
    # The gateway changes its switch, or is gone for a while.
    (r"interface Vlan\d+ / hsrp .*", Disruption.DATAPLANE_BLIP),
    # A host asks again, and keeps its lease meanwhile (RFC 2131, 4.4.5).
    (r"interface Vlan\d+ / ip(?:v6)? dhcp relay address .*", Disruption.NONE),
    (r"(?:no )?(?:service dhcp|ip dhcp relay|ipv6 dhcp relay)", Disruption.NONE),
    # A port that is shut already, later.
    (r"(?:no )?errdisable recovery cause bpduguard", Disruption.NONE),
    # Hosts that hear of a router give themselves addresses and a default route (RFC 4862).
    (r"interface \S+ / (?:no )?ipv6 nd suppress-ra", Disruption.DATAPLANE_BLIP),
    # A VRF that goes takes along what runs in it.
    (r"vrf context \S+|router bgp \S+ / vrf \S+", Disruption.DATAPLANE_BLIP),
    # The port leaves one VLAN for another, and all behind it with it; a VLAN or SVI that goes takes its hosts' way out.
    (r"interface Ethernet\S+ / (?:no )?switchport .*", Disruption.PORT_FLAP),
    (r"interface Ethernet\S+ / spanning-tree .*", Disruption.DATAPLANE_BLIP),
    # What exceeds a limit is dropped, as it should be.
    (r"interface \S+ / (?:no )?storm-control .*", Disruption.NONE),
    # Who is at the far end; no packet of others depends on it.
    (r"interface \S+ / (?:no )?(?:lldp (?:transmit|receive)|cdp enable)", Disruption.NONE),
    (r"vlan \d+|interface Vlan\d+", Disruption.DATAPLANE_BLIP),
    # No vendor says what a port does with the packets it holds while its MTU changes: the next worse class.
    (r"interface \S+ / mtu .*", Disruption.DATAPLANE_BLIP),
    # Packets change their queue while they pass, those of one flow from one to another.
    (r"class-map type qos .*|policy-map type qos .*", Disruption.DATAPLANE_BLIP),
    (r"interface \S+ / service-policy .*", Disruption.DATAPLANE_BLIP),
    # Without its discard route a block is announced no more once nothing else of it is up; without its next hop a
    # prefix is reached no more.
    (r"(?:vrf context \S+ / )?ip(?:v6)? route .*", Disruption.DATAPLANE_BLIP),
    # RFC 4271, 4.2 and 6.5: hold time and ASN are agreed when a session opens, so new ones count once it was torn down
    # and opened again (RFC 5082: so does the TTL that is taken). A session that goes takes its routes along.
    (rf"{_BGP} / neighbor \S+(?: / (?:inherit peer|remote-as) .*)?", Disruption.DATAPLANE_BLIP),
    (rf"{_BGP} / template peer \S+(?: / (?:password|ttl-security|timers) .*)?", Disruption.DATAPLANE_BLIP),
    # Removing or renumbering the process ends every session: Unicast Routing Configuration Guide, "Basic BGP".
    (r"router bgp \S+", Disruption.AGENT_RESTART),
    (rf"{_BGP} / router-id .*", Disruption.AGENT_RESTART),
    (r"feature .*", Disruption.AGENT_RESTART),
    # For these no source names an effect on traffic.
    (r"(?:interface \S+ / )?(?:no )?priority-flow-control watch-dog-interval .*", Disruption.NONE),
    (r"system qos|bfd interval .*|vlan \d+ / name .*", Disruption.NONE),
    # What the switch itself asks and tells; no packet of others depends on it.
    (
        r"(?:hostname|clock|ip domain-name|(?:vrf context management / )?ip name-server|ntp|logging|username) .*",
        Disruption.NONE,
    ),
    (r"feature tacacs\+|(?:(?:tacacs|radius|snmp)-server|aaa) .*", Disruption.NONE),
    (r"interface \S+(?: / (?:description .*|(?:no )?ip redirects))?", Disruption.NONE),
    (r"feature (?:nxapi|telnet|ssh)|nxapi .*|line vty(?: / exec-timeout .*)?", Disruption.NONE),
    (r"interface mgmt0(?: / ip access-group .*)?", Disruption.NONE),
    (r"ip(?:v6)? prefix-list .*|ip as-path access-list .*", Disruption.NONE),
    (
        r"route-map \S+ \S+ \d+"
        r"(?: / (?:match ip(?:v6)? address|match as-path|set as-path|set community|description) .*)?",
        Disruption.NONE,
    ),
    (
        rf"{_BGP} / (?:(?:no )?graceful-restart(?:-helper)?|bestpath .*|reconnect-interval .*"
        r"|log-neighbor-changes)",
        Disruption.NONE,
    ),
    # All routes of the family go with it; a prefix comes in place of others; routes are told again, with another next
    # hop.
    (r"router bgp \S+ / address-family ipv6 unicast", Disruption.DATAPLANE_BLIP),
    (rf"{_BGP} / address-family ipv[46] unicast / aggregate-address .*", Disruption.DATAPLANE_BLIP),
    (
        rf"{_BGP} / (?:template peer|neighbor) \S+ / address-family ipv[46] unicast / next-hop-self",
        Disruption.DATAPLANE_BLIP,
    ),
    (rf"{_BGP} / address-family ipv[46] unicast(?: / (?:network|maximum-paths) .*)?", Disruption.NONE),
    (rf"{_BGP} / (?:template peer \S+ / bfd|neighbor \S+ / description .*)", Disruption.NONE),
    (
        rf"{_BGP} / (?:template peer|neighbor) \S+ / address-family ipv[46] unicast"
        r"(?: / (?:send-community|(?:route-map|maximum-prefix|advertisement-interval) .*))?",
        Disruption.NONE,
    ),
)
_LINES = LineClasses(CLASSES)


def disruption(change: Change) -> Disruption:
    """The class of one change; a new process, feature or port removes nothing, so only its removal counts."""
    found = _LINES.of(change)
    return Disruption.NONE if found is Disruption.AGENT_RESTART and change.op == "+" else found
