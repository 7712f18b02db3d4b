"""The effect on traffic of a change of one line on EOS.

No published table of EOS states this line by line; the classes follow the named sources on the mechanism, and without a
source the next worse class is used.
"""

from nornir_tasks.design.model.capabilities import Disruption
from nornir_tasks.design.model.claims import MANAGEMENT_VRF
from nornir_tasks.platforms.line_classes import LineClasses

_BGP = r"router bgp \S+(?: / vrf \S+)?"

CLASSES: tuple[tuple[str, Disruption], ...] = (
    # what the switch is managed by: no packet of hosts passes there, but our own session may end (PROTECTED)
    (r"(?s:(?:no )?banner login.*)", Disruption.NONE),
    (r"interface Management1(?: / (?:vrf|ip address) .*)?", Disruption.NONE),
    (rf"(?:no )?(?:vrf instance|ip routing vrf|ip route vrf) {MANAGEMENT_VRF.pattern}(?: .*)?", Disruption.NONE),
    # um-eos BGP: changing the routing protocol model needs a reload or a restart of all routing agents
    (r"service routing protocols model .*", Disruption.RELOAD),
    # um-eos IPv4: without ip routing nothing is forwarded between ports
    (r"(?:no )?ip routing", Disruption.DATAPLANE_BLIP),
    # a new seed moves flows to other members of an ECMP group
    (r"(?:no )?ip load-sharing .*", Disruption.DATAPLANE_BLIP),
    # flows move to other members of their group
    (r"(?:no )?port-channel load-balance .*", Disruption.DATAPLANE_BLIP),
    # the root may be another switch afterwards, and ports wait for their new roles
    (r"(?:no )?spanning-tree (?:mode|priority|root|mst|vlan-id)(?: .*)?", Disruption.DATAPLANE_BLIP),
    # flows move to other members, and the table of flow sets is divided again
    (r"(?:no )?ip hardware fib load-balance .*", Disruption.DATAPLANE_BLIP),
    # classes, queues and PFC are reprogrammed in the chip while packets pass
    (r"(?:no )?(?:qos|priority-flow-control|platform trident mmu) .*", Disruption.DATAPLANE_BLIP),
    # a port joins or leaves its group, or the group comes or goes: the member is down until LACP has negotiated
    (r"interface Ethernet\S+ / (?:no )?channel-group .*|interface Port-Channel\d+", Disruption.PORT_FLAP),
    (r"interface Port-Channel\d+ / (?:no )?(?:shutdown|switchport|vrf .*)", Disruption.PORT_FLAP),
    # a group below its least number of members goes down; the rest is said again while members are bundled
    (r"interface Port-Channel\d+ / (?:no )?port-channel min-links .*", Disruption.PORT_FLAP),
    (r"interface \S+ / (?:no )?(?:lacp timer|port-channel lacp fallback) .*", Disruption.DATAPLANE_BLIP),
    (
        r"interface Port-Channel\d+ / (?:no )?(?:mtu|switchport trunk allowed vlan|spanning-tree) .*",
        Disruption.DATAPLANE_BLIP,
    ),
    (r"interface Port-Channel\d+ / (?:no )?switchport .*", Disruption.PORT_FLAP),
    # hosts' groups stay down until both switches have agreed again
    (
        r"mlag configuration(?: / (?:no )?(?:domain-id|local-interface|peer-address|peer-link) .*)?",
        Disruption.PORT_FLAP,
    ),
    (r"interface Port-Channel\d+ / (?:no )?mlag .*", Disruption.PORT_FLAP),
    # what a switch does once its peer link or its peer is down, or it has restarted
    (r"mlag configuration / (?:no )?(?:reload-delay|dual-primary) .*", Disruption.NONE),
    # the peer VLAN, or its SVI: without them both switches lose each other
    (r"(?:no )?spanning-tree vlan-id .*|vlan \d+ / (?:no )?trunk group .*", Disruption.DATAPLANE_BLIP),
    (r"interface Port-Channel\d+ / (?:no )?switchport trunk group .*", Disruption.DATAPLANE_BLIP),
    (r"interface Vlan\d+ / (?:no )?autostate", Disruption.DATAPLANE_BLIP),
    # only tagged frames are affected: the port stays up
    (
        r"interface Ethernet[\d/]+\.\d+(?: / (?:no )?(?:shutdown|encapsulation .*))?"
        r"|interface Ethernet\S+ / (?:no )?switchport trunk allowed vlan.*",
        Disruption.DATAPLANE_BLIP,
    ),
    # um-eos ACLs and Route Maps, hardware access-list update default-result permit: with this line all packets pass
    # while a list is changed; without it, so until a push adds it, all packets of the list's ports are dropped
    (r"(?:no )?hardware (?:access-list|counter feature acl) .*", Disruption.DATAPLANE_BLIP),
    # counters of the chip are divided again; no source says that packets pass meanwhile
    (r"(?:no )?hardware counter feature ecn out", Disruption.DATAPLANE_BLIP),
    # flows that the new rules do not permit end
    (r"ip(?:v6)? access-list \S+(?: / .*)?", Disruption.DATAPLANE_BLIP),
    (r"interface \S+ / (?:no )?ip(?:v6)? access-group .*", Disruption.DATAPLANE_BLIP),
    (r"interface Ethernet\S+ / (?:no )?(?:shutdown|switchport)", Disruption.PORT_FLAP),
    # the link comes up again at another rate or with another code, and only once both ends have it
    # (CumulusNetworks/docs, Switch-Port-Attributes.md, on FEC; AMD Instinct cluster networking guide, on training)
    (r"interface Ethernet\S+ / (?:no )?(?:speed|error-correction|phy) .*", Disruption.PORT_FLAP),
    (r"interface Ethernet\S+ / (?:no )?(?:mtu|service-profile|qos) .*", Disruption.DATAPLANE_BLIP),
    (r"interface Port-Channel\d+ / (?:no )?service-profile .*", Disruption.DATAPLANE_BLIP),
    (r"interface Ethernet\S+ / (?:no )?priority-flow-control.*", Disruption.DATAPLANE_BLIP),
    # the port loses its addresses and with them all sessions; no source says that its link stays up meanwhile
    (r"interface Ethernet[\d/]+ / (?:no )?vrf .*", Disruption.PORT_FLAP),
    (r"interface \S+ / (?:no )?(?:ip address|ipv6 address|vrf) .*", Disruption.DATAPLANE_BLIP),
    # hosts keep the MAC address of their router for a while after it is another one, or gone
    (r"(?:no )?ip virtual-router mac-address .*", Disruption.DATAPLANE_BLIP),
    (r"interface \S+ / (?:no )?ip(?:v6)? virtual-router address .*", Disruption.DATAPLANE_BLIP),
    # a host asks again, and keeps its lease meanwhile (RFC 2131, 4.4.5)
    (r"interface \S+ / (?:no )?(?:ip helper-address|ipv6 dhcp relay destination) .*", Disruption.NONE),
    # hosts that hear of a router give themselves addresses and a default route (RFC 4862)
    (r"interface \S+ / (?:no )?ipv6 nd ra disabled", Disruption.DATAPLANE_BLIP),
    # a VRF that goes or stops routing takes along what runs in it
    (r"vrf instance \S+(?: / .*)?|(?:no )?(?:ip routing vrf .*|ipv6 unicast-routing.*)", Disruption.DATAPLANE_BLIP),
    # the port leaves one VLAN for another, and all behind it with it; a VLAN or SVI that goes takes its hosts' way out
    (r"interface Ethernet\S+ / (?:no )?switchport .*", Disruption.PORT_FLAP),
    (r"interface Ethernet\S+ / (?:no )?spanning-tree .*", Disruption.DATAPLANE_BLIP),
    # what exceeds a limit is dropped, as it should be
    (r"interface \S+ / (?:no )?storm-control .*", Disruption.NONE),
    # who is at the far end; no packet of others depends on it
    (r"interface \S+ / (?:no )?lldp (?:transmit|receive)", Disruption.NONE),
    (r"vlan \d+|interface Vlan\d+(?: / (?:no )?(?:shutdown|mtu .*))?", Disruption.DATAPLANE_BLIP),
    # RFC 4271, 4.2 and 6.5: a session is torn down and opened again when what its OPEN or its TTL check says changes
    (r"router bgp [^/]*", Disruption.DATAPLANE_BLIP),
    (rf"{_BGP} / router-id .*", Disruption.DATAPLANE_BLIP),
    (r"router bgp \S+ / vrf \S+", Disruption.DATAPLANE_BLIP),
    (
        rf"{_BGP} / (?:no )?neighbor \S+ (?:remote-as|peer group|ttl|timers|shutdown|password|local-as).*",
        Disruption.DATAPLANE_BLIP,
    ),
    (rf"{_BGP} / address-family ipv[46] / (?:no )?neighbor \S+ activate", Disruption.DATAPLANE_BLIP),
    # a prefix comes in place of others: the same packets go the same way, or are no longer drawn here at all
    (rf"{_BGP} / (?:no )?aggregate-address .*", Disruption.DATAPLANE_BLIP),
    # the other router reaches what it hears by another way, or not at all
    (rf"{_BGP} / (?:no )?neighbor \S+ next-hop-self", Disruption.DATAPLANE_BLIP),
    (r"ip(?:v6)? route .*", Disruption.DATAPLANE_BLIP),
    # for these no source names an effect on traffic: names, timers and limits that apply later, policies
    (r"interface \S+(?: / (?:no )?description .*)?", Disruption.NONE),
    (r"vlan \d+ / name .*", Disruption.NONE),
    (r"(?:no )?lldp run", Disruption.NONE),
    # a port that is shut already, later
    (r"(?:no )?errdisable recovery cause bpduguard", Disruption.NONE),
    # what the switch itself asks and tells; no packet of others depends on it
    (r"(?:no )?(?:hostname|clock|ip name-server|dns domain|ntp|logging|username|aaa) .*", Disruption.NONE),
    (r"(?:no )?(?:tacacs|radius|snmp)-server .*", Disruption.NONE),
    (r"router bfd(?: / interval .*)?", Disruption.NONE),
    (r"(?:no )?management .*|system control-plane(?: / .*)?", Disruption.NONE),
    (r"ip(?:v6)? prefix-list \S+(?: / seq .*)?|(?:no )?ip as-path .*", Disruption.NONE),
    (
        r"route-map \S+ \S+ \d+"
        r"(?: / (?:match ip(?:v6)? address|match as-path|match origin-as|set as-path|set community|description) .*)?",
        Disruption.NONE,
    ),
    (rf"{_BGP} / (?:no )?bgp (?:default|log-neighbor-changes|bestpath)\b.*", Disruption.NONE),
    # what caches say changes what is taken, as the policy has it; none says anything until it is asked
    (rf"{_BGP} / (?:no )?rpki (?:cache|origin-validation)\b.*", Disruption.NONE),
    # they say when what is learned later is installed and told
    (rf"{_BGP} / (?:no )?update wait-(?:install|for-convergence)", Disruption.NONE),
    (rf"{_BGP} / (?:(?:no )?graceful-restart|maximum-paths .*)", Disruption.NONE),
    (
        rf"{_BGP} / (?:no )?neighbor \S+ (?:bfd|description|idle-restart-timer|maximum-routes|out-delay|"
        r"route-map|send-community)\b.*",
        Disruption.NONE,
    ),
    (rf"{_BGP} / address-family ipv[46](?: / network .*)?", Disruption.NONE),
)
disruption = LineClasses(CLASSES).of
