"""The configuration of a switch before the first push: day-0 access, and foreign objects that must survive a push.

Line shapes are those of tests/corpus/eos/accept.txt. Hashes other than the lab login's are published example values.
"""

from __future__ import annotations

import ipaddress

from ..spec import DeviceSpec
from .passwords import sha512_crypt
from .ports import lane_ports

_PUBLISHED_HASH = (
    "$6$eJ5TvI8oru5i9e8G$R1X/SbtGTk9xoEHEBQASc7SC2nHYmi.crVgp2pXuCXwxsXEA81e4E0cXgQ6kX08fIeQzauqhv2kS.RGJFCon5/"
)
"""An example in AVD's documentation."""

_DAY0 = """\
no aaa root
username admin privilege 15 role network-admin secret sha512 {published}
username {username} privilege 15 role network-admin secret sha512 {secret}
service routing protocols model multi-agent
logging buffered 10000 informational
logging vrf MGMT host 192.0.2.5 514
logging vrf MGMT source-interface Management1
hostname {hostname}
ip name-server vrf MGMT 192.0.2.53
dns domain example.net
snmp-server contact noc
snmp-server group MONITORING v3 priv
snmp-server user telemetry MONITORING v3 localized f5717f444ca824448b00 auth sha 09f1b2 priv aes 09f1b2
snmp-server vrf MGMT
spanning-tree mode mstp
vlan 3999
   name LEGACY-CAMERAS
vrf instance LEGACY
   description not ours
vrf instance MGMT
banner login
Authorised staff only.
EOF
management api http-commands
   protocol https ssl profile EAPI
   no shutdown
   vrf MGMT
      no shutdown
management security
   ssl profile EAPI
      certificate eapi.crt key eapi.key
tacacs-server host 192.0.2.9 vrf MGMT key 7 071B245F5A
aaa group server tacacs+ TAC
   server 192.0.2.9 vrf MGMT
aaa authentication login default local group TAC
aaa authorization exec default local group TAC
interface Management1
   description out-of-band
   vrf MGMT
   ip address {address}/24
ip access-list LEGACY-EDGE
   10 permit tcp 198.51.100.0/24 any eq ssh
   20 deny ip any any log
ip access-list MGMT-ACCESS
   counters per-entry
   10 permit tcp any any eq ssh https snmp
   20 permit icmp any any
no ip routing
ip routing vrf LEGACY
system control-plane
   ip access-group MGMT-ACCESS vrf MGMT in
ip route vrf LEGACY 198.51.100.0/24 Null0 name not-ours
ip route vrf MGMT 0.0.0.0/0 {gateway}
ntp local-interface vrf MGMT Management1
ntp server vrf MGMT 192.0.2.1 prefer iburst
router bgp {asn}
   vrf LEGACY
      router-id 198.51.100.1
      neighbor 198.51.100.129 remote-as 64999
      neighbor 198.51.100.129 description not ours
management ssh
   idle-timeout 15
   vrf MGMT
      no shutdown
"""


def factory_text(device: DeviceSpec) -> str:
    """The configuration after ``rollback clean-config``: the ports of the hardware."""
    ports = [*lane_ports(device), "Management1"]
    return "\n".join(f"interface {port}" for port in ports) + "\n"


def day0_text(device: DeviceSpec, username: str, password: str) -> str:
    """A device's configuration before the first push; the login's password is included as its hash only."""
    network = ipaddress.ip_interface(f"{device.address}/24").network
    return _DAY0.format(
        published=_PUBLISHED_HASH,
        username=username,
        secret=sha512_crypt(password, f"lab{device.serial}"),
        hostname=device.name,
        address=device.address,
        gateway=network.network_address + 1,
        asn=device.asn,
    )
