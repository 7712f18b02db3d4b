"""A small front fabric: pairs of three makers, storage and business on bonds, two groups of hosts on one pair."""

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from nornir_tasks.design.model.network import Network
from nornir_tasks.design.pipeline import design
from nornir_tasks.files.catalogue import load_catalogue
from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.intent.keys.site import Intent
from nornir_tasks.platforms import platforms

SITE = """
site: front
policy:
  classes:
    data: {dscp: 26, priority: 3, ecn: auto, weight: 60}
    cnp: {dscp: 48, priority: 7, strict: true}
    bulk: {dscp: 0, priority: 0, weight: 40}
  congestion: lossy
  mtu: {host: 9000, fabric: 9216}
fabrics:
  front:
    design: clos
    name_prefix: front
    pools: {loopback: 10.255.0.0/20, links: 10.160.0.0/16, asn: 4200200000-4200209999}
    leaf:
      platform: eos
      release: 4.33.1F
      model: 7050SX3-48YC8
      medium: DAC
      cable_m: 3
      pairs: {links: 2, medium: DAC, cable_m: 1}
      overrides:
        - {hosts: [store], platform: nxos, release: "10.4(3)", model: N9K-C93180YC-FX3}
        - {hosts: [login], platform: nvue, release: "5.14", model: SN2410}
    spine: {platform: nvue, release: "5.14", model: SN3700, medium: SR4, cable_m: 20, count: 2, oversubscription: 4}
planes:
  storage:
    fabric: front
    link: bond
    transport: tcp
    vlan: 200
    pools: {hosts: 10.168.0.0/16}
    servers: [store]
    demand: {loading_gib_per_s: 8}
  business: {fabric: front, link: bond, vlan: 300, pools: {hosts: 10.169.0.0/16}}
hosts:
  gpu:
    count: 4
    max: 16
    nics: {storage: {rails: 2, speed: 25G}, business: {rails: 2, speed: 25G, ports_of: storage}}
  store: {count: 2, max: 16, nics: {storage: {rails: 2, speed: 25G}}}
  login: {count: 1, max: 4, nics: {business: {rails: 2, speed: 25G}}}
  api: {count: 1, max: 4, nics: {business: {rails: 2, speed: 25G, leaves_of: login}}}
"""


def data() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(SITE)
    return found


def loaded(intended: dict[str, Any]) -> Intent:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fabric.yml"
        file.write_text(yaml.safe_dump(intended, sort_keys=False), encoding="utf-8")
        return load_intent(file)


def built(intended: dict[str, Any]) -> Network:
    facts = {name: each.facts for name, each in platforms().items()}
    return design(loaded(intended), load_catalogue(), facts)


@cache
def network() -> Network:
    return built(data())
