"""The effect on traffic of a change of one line on Cumulus Linux; without a source, the next worse class.

Sources: docs514 = CumulusNetworks/docs, content/cumulus-linux-514: Equal-Cost-Multipath-Load-Sharing.md,
Quality-of-Service/_index.md, Basic-BGP-Configuration.md, Optional-BGP-Configuration.md.
"""

from nornir_tasks.design.model.capabilities import Disruption
from nornir_tasks.platforms.line_classes import LineClasses

_BGP = r"vrf / \S+ / router / bgp"

CLASSES: tuple[tuple[str, Disruption], ...] = (
    # what the switch is managed by: no packet of hosts passes there, but our own session may end (PROTECTED)
    (r"system / message / pre-login: .*", Disruption.NONE),
    (r"interface / eth0\b.*|vrf / mgmt\b.*", Disruption.NONE),
    # docs514 ECMP: a new seed restarts switchd, and all ports go down with it
    (r"system / forwarding / hash-seed: .*", Disruption.PORT_FLAP),
    # docs514 ECMP: reloading the hash fields does not interrupt traffic, but flows move to other links
    (r"system / forwarding / ecmp-hash\b.*", Disruption.DATAPLANE_BLIP),
    # docs514 Bonding-Link-Aggregation.md: a reload without interruption, but flows move to other members
    (r"system / forwarding / lag-hash\b.*", Disruption.DATAPLANE_BLIP),
    # the root may be another switch afterwards, and ports wait for their new roles
    (r"bridge / domain / [^/]+ / stp\b.*", Disruption.DATAPLANE_BLIP),
    # docs514 ECMP: turning adaptive routing on or off, on the switch or on a port, reloads switchd
    (r"router / adaptive-routing\b.*", Disruption.DATAPLANE_BLIP),
    (r"interface / \S+ / router\b.*", Disruption.DATAPLANE_BLIP),
    # all gateways come or go, and hosts' way out with them
    (r"router / vrr\b.*", Disruption.DATAPLANE_BLIP),
    # docs52 Storm-Control.md has switchd restarted, and all ports go down with it; what NVUE does no source says
    (r"interface / \S+ / storm-control\b.*", Disruption.PORT_FLAP),
    # who is at the far end; no packet of others depends on it
    (r"interface / \S+ / lldp\b.*", Disruption.NONE),
    # the relay restarts; a host asks again, and keeps its lease meanwhile (RFC 2131, 4.4.5)
    (r"service / dhcp-relay\b.*", Disruption.NONE),
    # docs514 QoS: changes reload switchd and "might result in momentary packet loss"
    (r"qos\b.*", Disruption.DATAPLANE_BLIP),
    (r"interface / \S+ / qos\b.*", Disruption.DATAPLANE_BLIP),
    # flows that the new rules do not permit end; lists are exchanged atomically unless the mode is set otherwise
    # (docs514 Access-Control-List-Configuration.md), but no source says that no packet is lost meanwhile
    (r"acl / .*|interface / \S+ / acl\b.*", Disruption.DATAPLANE_BLIP),
    # the port goes down, or up; a port that vanishes from the configuration goes down with it. Speed, FEC and
    # negotiation: both ends must agree for the link to come up; a split replaces the port by others (docs514
    # Switch-Port-Attributes.md)
    # a port joins or leaves its bond, or the bond comes or goes: the member is down until LACP has negotiated
    # (docs514 Bonding-Link-Aggregation.md: a bond may flap when a member is removed); the same for its mode
    (r"interface / (?:bond\d+|peerlink)(?: / bond(?: / (?:mode: .*|member(?: / \S+)?))?)?", Disruption.PORT_FLAP),
    (r"interface / (?:bond\d+|peerlink) / bond / lacp-(?:rate|bypass): .*", Disruption.DATAPLANE_BLIP),
    (
        r"interface / (?:bond\d+|peerlink) / bridge / domain / [^/]+ / vlan(?: / \d+|: \"all\")?",
        Disruption.DATAPLANE_BLIP,
    ),
    (r"interface / (?:bond\d+|peerlink) / (?:link(?: / state\b.*)?|(?:ip / )?vrf: .*)", Disruption.PORT_FLAP),
    (
        r"interface / (?:bond\d+|peerlink) / bridge(?: / domain(?: / [^/]+(?: / (?:access|untagged|vlan)\b.*)?)?)?",
        Disruption.PORT_FLAP,
    ),
    (r"interface / (?:bond\d+|peerlink) / bridge\b.*", Disruption.DATAPLANE_BLIP),
    # bonds over both switches stay down until these have agreed again
    (r"mlag / (?:init-delay|priority): .*", Disruption.NONE),
    (r"mlag\b.*|interface / bond\d+ / bond / mlag\b.*|interface / peerlink\.\d+(?: / .*)?", Disruption.PORT_FLAP),
    # only tagged frames are affected: the port stays up
    (
        r"interface / swp\w+\.\d+(?: / (?:link|vlan|base-interface)\b.*)?"
        r"|interface / swp\S* / bridge / domain / [^/]+ / vlan(?: / \d+|: \"all\")?",
        Disruption.DATAPLANE_BLIP,
    ),
    (r"interface / swp[^/]*", Disruption.PORT_FLAP),
    (r"interface / swp\S* / link(?: / (?:state|speed|fec|auto-negotiate|breakout|lanes)\b.*)?", Disruption.PORT_FLAP),
    # the port leaves one VLAN for another, and all behind it with it; without its VLAN or SVI a host has no way out
    (
        r"interface / swp\S* / bridge(?: / domain(?: / [^/]+(?: / (?:access|untagged|vlan)\b.*)?)?)?",
        Disruption.PORT_FLAP,
    ),
    (r"interface / swp\S* / bridge\b.*", Disruption.DATAPLANE_BLIP),
    (r"bridge / domain / \S+ / vlan / \d+|interface / vlan\d+", Disruption.DATAPLANE_BLIP),
    # the kernel takes a port down and up again when it joins or leaves a VRF (torvalds/linux, drivers/net/vrf.c,
    # cycle_netdev)
    (r"interface / swp[^/.]* / (?:ip / )?vrf: .*", Disruption.PORT_FLAP),
    (r"interface / \S+ / (?:link / mtu: .*|ip\b.*|ipv[46]\b.*)", Disruption.DATAPLANE_BLIP),
    # docs514 Basic-BGP-Configuration.md: enabling BGP or changing the ASN restarts FRR
    (r"router / bgp(?: / (?:enable|state|autonomous-system): .*)?", Disruption.AGENT_RESTART),
    (rf"{_BGP} / (?:enable|state|autonomous-system): .*", Disruption.AGENT_RESTART),
    # RFC 4271, 4.2 and 6.5: sessions are torn down and opened again
    (r"router / bgp / (?:router-id|graceful-restart)\b.*", Disruption.DATAPLANE_BLIP),
    (rf"{_BGP} / router-id: .*", Disruption.DATAPLANE_BLIP),
    # docs514 Optional-BGP: changing a peer group resets its members' sessions
    (rf"{_BGP} / peer-group / .*", Disruption.DATAPLANE_BLIP),
    (rf"{_BGP} / neighbor / [^/]*", Disruption.DATAPLANE_BLIP),
    (
        rf"{_BGP} / neighbor / \S+ / (?:remote-as|peer-group|ttl-security|timers|type|capabilities)\b.*",
        Disruption.DATAPLANE_BLIP,
    ),
    (r"vrf / \S+ / router / static\b.*", Disruption.DATAPLANE_BLIP),
    # a VRF that goes takes along what runs in it, and a port that changes its VRF its routes
    (r"vrf / [^/]*|vrf / \S+ / (?:table: .*|router|loopback\b.*)|interface / \S+ / vrf: .*", Disruption.DATAPLANE_BLIP),
    # for these no source names an effect on traffic: names, timers and limits that apply later, policies
    (r"interface / \S+ / (?:type|description|vlan): .*", Disruption.NONE),
    (r"system / lldp / state: .*|service / lldp / state: .*", Disruption.NONE),
    # what the switch itself asks and tells; no packet of others depends on it
    (
        r"service / (?:dns|ntp) / .*|system / (?:(?:hostname|timezone): .*|(?:aaa|date-time|dns|ntp|syslog) / .*)",
        Disruption.NONE,
    ),
    (r"router / bfd / (?:state: .*|profile / \S+ / (?:detect-multiplier|min-[rt]x-interval): .*)", Disruption.NONE),
    (r"system / (?:api|ssh-server) / .*|interface / eth0(?: / acl(?: / .*)?)?", Disruption.NONE),
    (r"router / policy / (?:prefix-list / \S+ / (?:type|rule)|as-path-list / \S+ / rule)\b.*", Disruption.NONE),
    (r"router / policy / route-map / \S+ / rule / \d+ / (?:action|match|set|description)\b.*", Disruption.NONE),
    (rf"{_BGP} / path-selection / multipath / aspath-ignore: .*", Disruption.NONE),
    (
        rf"{_BGP} / address-family / ipv[46]-unicast / (?:(?:enable|state): .*|multipaths / ebgp: .*|network / \S+)",
        Disruption.NONE,
    ),
    # a prefix comes in place of others: the same packets go the same way, or are no longer drawn here at all
    (rf"{_BGP} / address-family / ipv[46]-unicast / aggregate-route\b.*", Disruption.DATAPLANE_BLIP),
    (rf"{_BGP} / neighbor / \S+ / (?:description: .*|address-family / ipv4-unicast / policy\b.*)", Disruption.NONE),
)
disruption = LineClasses(CLASSES).of
