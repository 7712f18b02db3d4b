"""The names that EOS has for TCP and UDP ports. It prints a port that has one by its name, whatever was typed.

Source: batfish/batfish at cba1873, Arista grammar (AristaLexer.g4, toNamedPort of AristaControlPlaneExtractor) with the
numbers of NamedPort; ``multihop-bfd``, ``sbfd``, ``netconf-ssh`` and ``lsp-ping`` from published lists of switches
(tests/corpus/eos), their numbers from the IANA. A rule with a name that is missing here is reported as a difference.
"""

_NAMES = """
    tcpmux 1, rje 5, echo 7, discard 9, systat 11, daytime 13, qotd 17, msp 18, chargen 19, ftp-data 20,
    ftp 21, ssh 22, telnet 23, smtp 25, nsw-fe 27, msg-icp 29, dsp 33, time 37, rlp 39, nameserver 42,
    whois 43, tacacs 49, re-mail-ck 50, la-maint 51, xns-time 52, domain 53, xns-ch 54, isi-gl 55, xns-mail 58,
    tacacs-ds 65, bootps 67, bootpc 68, tftp 69, gopher 70, netrjs-1 71, netrjs-2 72, netrjs-3 73, netrjs-4 74,
    finger 79, http 80, www 80, kerberos 88, hostname 101, iso-tsap 102, acr-nema 104, csnet-ns 105,
    rtelnet 107, snagas 108, pop2 109, pop3 110, sunrpc 111, auth 113, ident 113, uucp-path 117, sqlserv 118,
    nntp 119, ntp 123, msrpc 135, netbios-ns 137, netbios-dgm 138, netbios-ss 139, netbios-ssn 139, imap 143,
    imap4 143, bftp 152, sgmp 153, sqlsrv 156, snmp 161, snmp-trap 162, snmptrap 162, print-srv 170, vmnet 175,
    xdmcp 177, bgp 179, irc 194, dnsix 195, smux 199, at-rtmp 201, qmtp 209, z39-50 210, ipx 213, mpp 218,
    imap3 220, esro-gen 259, bgmp 264, http-mgmt 280, asip-webadmin 311, pkix-timestamp 318, ptp-event 319,
    ptp-general 320, matip-type-a 350, matip-type-b 351, odmr 366, rpc2portmap 369, clearcase 371,
    hp-alarm-mgr 383, arns 384, aurp 387, ldap 389, ups 401, svrloc 427, mobile-ip 434, https 443, snpp 444,
    microsoft-ds 445, kpasswd 464, tcpnethaspsrv 475, pim-auto-rp 496, isakmp 500, citadel 504, biff 512,
    exec 512, login 513, who 513, cmd 514, rsh 514, syslog 514, lpd 515, talk 517, efs 520, rip 520, ncp 524,
    timed 525, netwnews 532, netwall 533, uucp 540, commerce 542, klogin 543, kshell 544, dhcpv6-client 546,
    dhcpv6-server 547, afpovertcp 548, new-rwho 550, rtsp 554, remotefs 556, rmonitor 560, nntps 563,
    submission 587, http-alt 591, http-tpc-epmap 593, tunnel 604, asf-rmcp 623, ipp 631, rlzdbase 635,
    ldaps 636, msdp 639, repcmd 641, ldp 646, rmc 657, mac-srvr-admin 660, acap 674, msexch-routing 691,
    ha-cluster 694, olsr 698, epp 700, lmp 701, iris-beep 702, silc 706, cisco_TDP 711, tbrpf 712,
    kerberos-adm 749, netconf-ssh 830, dhcp-failover2 847, godi 848, iscsi 860, rsync 873, ftps-data 989,
    ftps 990, nas 991, imaps 993, pop3s 995, openvpn 1194, pkt-krb-ipsec 1293, lotusnotes 1352, ms-sql-s 1433,
    ms-sql-m 1434, citrix-ica 1494, sqlnet 1521, l2tp 1701, h323 1720, pptp 1723, nfs 2049, gtp-c 2123,
    gtp-u 2152, ctiqbe 2748, cifs 3020, cvx-license 3333, gtp-prime 3386, lsp-ping 3503, bfd 3784,
    bfd-echo 3785, mlag 4432, non500-isakmp 4500, nat 4532, multihop-bfd 4784, vxlan 4789, sip 5060, aol 5190,
    secureid-udp 5510, pcanywhere-data 5631, pcanywhere-status 5632, micro-bfd 6784, sbfd 7784, lanz 50001,
    cvx 50003, cvx-cluster 50004
"""

PORT_OF = {
    name: int(number) for name, number in (each.split() for each in _NAMES.replace("\n", " ").split(",")) if name
}
"""Name -> number."""
