"""The configuration of an NX-OS switch before the first push: the bare device, and the lab's brownfield.

The login account of the lab is in the configuration as a hash only.
"""

from __future__ import annotations

from ..engine import NXOS, ConfigSession, Context, Tree
from ..spec import DeviceSpec
from .grammar import nxos_grammar
from .password import make_hash

_RESOURCES = (
    ("vlan", 16, 4094),
    ("vrf", 2, 4097),
    ("port-channel", 0, 511),
    ("m4route-mem", 58, 58),
    ("m6route-mem", 8, 8),
)
"""Limits of the default VDC (NX-OS 10.4(2), document 24938272817)."""


def device_context(device: DeviceSpec) -> Context:
    """The facts of a device that the grammar needs."""
    return Context(
        release=device.release,
        asic=device.asic,
        model=device.model,
        ports=frozenset(device.ports),
        allowed_from_memory=frozenset(device.allow_from_memory),
    )


def empty_tree(context: Context) -> Tree:
    """The part that no configuration can remove: ports, mgmt0, the lines, VLAN 1 and VRF management."""
    tree = Tree(nxos_grammar(), NXOS)
    session = ConfigSession(tree, context)
    for line in ["vlan 1", "vrf context management", "line console", "line vty", "interface mgmt0"]:
        session.feed(line)
    for port in sorted(context.ports):
        session.feed(f"interface {port}")
    return tree


def bare_tree(context: Context, hostname: str) -> Tree:
    """A switch out of the box."""
    tree = empty_tree(context)
    session = ConfigSession(tree, context)
    lines = [f"hostname {hostname}", f"vdc {hostname} id 1"]
    lines += [f"  limit-resource {what} minimum {low} maximum {high}" for what, low, high in _RESOURCES]
    lines += [
        "ip domain-lookup",
        "copp profile strict",
        "icam monitor scale",
        "interface mgmt0",
        "vrf member management",
    ]
    for line in lines:
        session.feed(line)
    return tree


def brownfield_tree(device: DeviceSpec, username: str, password: str) -> Tree:
    """The lab's switch at day 0: reachable, and with everything a site has besides the fabric."""
    context = device_context(device)
    tree = bare_tree(context, device.name)
    session = ConfigSession(tree, context)
    for line in _lines(device, username, password):
        session.feed(line)
    return tree


def management_address(device: DeviceSpec) -> str:
    """mgmt0's address in the documentation network; on the wire the lab's loopback address replaces it."""
    return f"192.0.2.{int(device.address.rsplit('.', 1)[1]) or 250}"


def image_file(device: DeviceSpec) -> str:
    """The boot image of a release: 10.4(3) is nxos64-cs.10.4.3.F.bin."""
    numbers = device.release.rstrip("FM").replace("(", ".").replace(")", "")
    return f"bootflash:/nxos64-cs.{numbers}.F.bin"


def _lines(device: DeviceSpec, username: str, password: str) -> list[str]:
    text = _BROWNFIELD.format(
        username=username,
        login=make_hash(password),
        operator=make_hash("break-glass-" + device.serial),
        key=_SNMP_KEY,
        address=management_address(device),
        asn=device.asn,
        image=image_file(device),
        api_port=device.api_port,
    )
    return text.splitlines()


_SNMP_KEY = "0x5632724fb8ac3699296af26281e1d0f1"
"""A localized key (cisco.nxos 11.1.0 nxos_snmp_server)."""

_BROWNFIELD = """
feature nxapi
feature scp-server
feature bgp
feature tacacs+
no password strength-check
username admin password 5 {operator} role network-admin
username {username} password 5 {login} role network-admin
username {username} passphrase lifetime 99999 warntime 14 gracetime 3
banner motd ^C
Property of the operator. Authorised access only.
All sessions are recorded.
^C
ip domain-name cluster.example
tacacs-server host 198.51.100.21 key 7 Qvwxyz1234 timeout 10
tacacs-server host 198.51.100.22 key 7 Qvwxyz1234 timeout 10
aaa group server tacacs+ SITE-TACACS
  server 198.51.100.21
  server 198.51.100.22
  use-vrf management
ip access-list CPP-MGMT
  10 permit tcp 198.51.100.0/24 any eq 22
  20 permit udp 198.51.100.0/24 any eq snmp
  30 deny ip any any
ip access-list LEGACY-STORAGE
  10 permit ip 172.31.40.0/24 172.31.41.0/24
  20 deny ip any 172.31.41.0/24
  30 permit ip any any
class-map type control-plane match-any CPP-SITE
  match access-group name CPP-MGMT
policy-map type control-plane CPP-SITE-POLICY
  class CPP-SITE
    police cir 1000 kbps bc 32000 bytes conform transmit violate drop
snmp-server contact Network operations
snmp-server location Hall 3
snmp-server user nms network-operator auth sha {key} priv aes-128 {key} localizedkey
snmp-server host 198.51.100.30 traps version 3 priv nms
ntp server 198.51.100.11 prefer use-vrf management
ntp server 198.51.100.12 use-vrf management
aaa authentication login default group SITE-TACACS local
aaa accounting default group SITE-TACACS local
logging server 198.51.100.40 5 use-vrf management facility local6
logging source-interface mgmt0
ip route 172.31.0.0/16 172.30.255.1 name legacy
vlan 310
  name OLD-STORAGE
vrf context LEGACY
  description storage network of the previous cluster
vrf context management
  ip route 0.0.0.0/0 192.0.2.1
nxapi https port {api_port}
nxapi certificate httpskey keyfile bootflash:///nxapi.key
nxapi certificate httpscrt certfile bootflash:///nxapi.crt
nxapi certificate enable
nxapi use-vrf management
interface mgmt0
  description out of band
  ip address {address}/24
line vty
  exec-timeout 15
  access-class CPP-MGMT in
boot nxos {image}
router bgp {asn}
  vrf LEGACY
    neighbor 172.30.255.9
      remote-as 64999
      description storage edge
      address-family ipv4 unicast
"""
