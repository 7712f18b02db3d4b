"""A small site whose storage is served by RDMA: two routed links a host, each to a leaf of its own, and no bond."""

from functools import cache
from typing import Any

import yaml

from nornir_tasks.design.model.network import Network
from nornir_tasks.intent.keys.site import Intent
from tests.unit.design import front

SITE = """
site: rdma
policy:
  classes:
    roce: {dscp: 26, priority: 3, lossless: true, ecn: auto, weight: 60}
    cnp: {dscp: 48, priority: 6, strict: true}
    bulk: {dscp: 0, priority: 0, weight: 40}
  congestion: dcqcn
  mtu: {host: 9000, fabric: 9216}
fabrics:
  compute:
    design: rail
    pools: {loopback: 10.255.0.0/16, links: 10.160.0.0/13, asn: 4200000000-4200099999}
    leaf: {platform: nvue, release: "5.14", model: SN5600}
    spine: {platform: nvue, release: "5.14", model: SN5600, oversubscription: 1}
  front:
    design: rail
    name_prefix: front
    pools: {loopback: 10.254.0.0/18, links: 10.180.0.0/15, asn: 4200200000-4200209999}
    leaf: {platform: nvue, release: "5.14", model: SN5600, cable_m: 5}
    spine: {platform: nvue, release: "5.14", model: SN5600, count: 2, oversubscription: 3}
planes:
  compute: {fabric: compute, link: p2p, pools: {hosts: 10.168.0.0/13}}
  storage:
    fabric: front
    link: p2p
    transport: rdma
    pools: {hosts: 10.176.0.0/16}
    servers: [store]
    demand: {loading_gib_per_s: 8}
hosts:
  gpu:
    count: 2
    max: 4
    nics:
      compute: {rails: 2, speed: 200G, model: ConnectX-7, at: ["0000:00:10.0", "0000:00:11.0"]}
      storage: {rails: 2, speed: 200G, model: ConnectX-7, port_names: front, at: ["0000:00:18.0", "0000:00:19.0"]}
    interfaces: {management: [ens3]}
  store:
    count: 2
    max: 4
    nics: {storage: {rails: 2, speed: 200G, model: ConnectX-7, port_names: data, at: ["0000:00:10.0", "0000:00:11.0"]}}
    interfaces: {management: [ens3]}
"""


def data() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(SITE)
    return found


@cache
def intent() -> Intent:
    return front.loaded(data())


@cache
def network() -> Network:
    return front.built(data())
