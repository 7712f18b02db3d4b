"""docs/congestion-<profile>.md: what each value of ``congestion`` sets where, made from what is designed and rendered.

python scripts/congestion_page.py            compare; ends with 1 where a page is another one
python scripts/congestion_page.py --write    write the pages again
"""

import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from made_page import compare_or_write

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "plugins" / "module_utils"))
from nic_settings import wanted_settings  # noqa: E402

from nornir_tasks.design.config.qos import PortProfile  # noqa: E402
from nornir_tasks.design.contribute.known_kinds import kinds  # noqa: E402
from nornir_tasks.design.demand.fabric_demand import demands  # noqa: E402
from nornir_tasks.design.hosts.host_needs import host_needs  # noqa: E402
from nornir_tasks.design.hosts.host_vars import host_vars  # noqa: E402
from nornir_tasks.design.model.network import Network  # noqa: E402
from nornir_tasks.design.pipeline import Realised, design, device_configs  # noqa: E402
from nornir_tasks.design.reports.watchdog import NIC_GAP, firing_order  # noqa: E402
from nornir_tasks.files.catalogue import load_catalogue  # noqa: E402
from nornir_tasks.files.intent_file import load_intent  # noqa: E402
from nornir_tasks.files.templates import environment  # noqa: E402
from nornir_tasks.intent.core.fields import PROFILES  # noqa: E402
from nornir_tasks.platforms import platforms  # noqa: E402
from nornir_tasks.render.render import render  # noqa: E402

BASE = ROOT / "inventory" / "lab-rails" / "fabric.yml"
SPECTRUM4 = {"platform": "nvue", "release": "5.16", "model": "SN5400", "overrides": []}


class About(NamedTuple):
    """What a profile is, what the intent must have for it, and what it leaves alone."""

    what: str
    needs: str
    leaves: str


ABOUT = {
    "dcqcn": About(
        "Switches mark packets where queues grow, receivers tell senders, and senders slow down (DCQCN); PFC "
        "is the last resort.",
        "`ecn` in a class, a class `cnp`, and for RDMA a lossless class.",
        "DCQCN's own parameters: NICs keep those of their firmware.",
    ),
    "pfc_only": About(
        "Pauses alone hold senders back, and receivers pace them: a sender begins when it is told to (clear-"
        "to-send), in a class that goes before all data.",
        "No `ecn` in any class; for GPUs with a lossless class a class `cts`, strict (NCCL_IB_FIFO_TC: "
        "github.com/NVIDIA/nccl, pull request 1194).",
        "How much a receiver lets in at once: that is NCCL's.",
    ),
    "lossy": About(
        "As `dcqcn`, and nothing is paused: what is dropped all the same, NICs send again.",
        "No lossless class; `ecn` in the one class that carries RDMA, and a class `cnp`.",
        "How NICs send again (RDMA_SELECTIVE_REPEAT_EN and its like): no source says what it should be.",
    ),
    "spectrum_x": About(
        "Switches send each packet by the least loaded path, NICs put packets in order again, and NVIDIA's "
        "own algorithm runs on NICs in DCQCN's place; marks and notifications as with `dcqcn`.",
        "`load_balancing: per_packet`, a lossless class with `ecn`, a class `cnp`; Spectrum-4 switches with "
        "NVUE alone, links between them of 200G or 400G; ConnectX-8 or BlueField-3. All else is refused by "
        "name.",
        "The algorithm's program (`doca_spcx_cc`) is judged, neither installed nor started; its parameters "
        "and DCQCN's slot, which NVIDIA's profiles set by DOCA Management Service, have no public register "
        "and are left alone, as is ROCE_RTT_RESP_DSCP, of which the published profiles say different things. "
        "When a site takes another profile, role `nic_firmware` sets back what it wrote.",
    ),
}
HEAD = """\
# `congestion: {profile}`

Made by `.venv/bin/python scripts/congestion_page.py --write` from what is designed and rendered for a site like the
lab's ({site}); `make check` compares.
`policy.congestion` is for all planes, `planes.<name>.congestion` for one. No hardware was tried.

{what}

| | |
|---|---|
| the intent has | {needs} |
| left alone | {leaves} |
"""
SITES = {
    "three": "leaves of EOS and NX-OS, spines of NVUE, ConnectX-7",
    "spectrum_x": "leaves and spines of NVUE, ConnectX-8",
}


def data(profile: str, like: str) -> dict[str, Any]:
    """A site with this profile; ``like``: whose switches and NICs it has."""
    found: dict[str, Any] = yaml.safe_load(BASE.read_text(encoding="utf-8"))
    policy, classes = found["policy"], found["policy"]["classes"]
    policy["congestion"] = profile
    if profile == "pfc_only":
        del classes["roce"]["ecn"]
        classes["cts"] = classes.pop("cnp")
    if profile == "lossy":
        del classes["roce"]["lossless"]
    if like == "spectrum_x":
        (fabric,) = found["fabrics"].values()
        fabric["leaf"].update(SPECTRUM4)
        fabric["spine"].update(SPECTRUM4)
        (nics,) = found["hosts"]["gpu"]["nics"].values()
        nics["model"] = "ConnectX-8"
    policy["load_balancing"] = "per_packet" if profile == "spectrum_x" else "static"
    return found


class Site(NamedTuple):
    """What comes of an intent: one switch of each kind with its lines, and the variables of a host."""

    switches: dict[str, Realised]
    lines: dict[str, frozenset[str]]
    host: dict[str, Any]


def built(profile: str, like: str) -> Site:
    """That site."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fabric.yml"
        file.write_text(yaml.safe_dump(data(profile, like), sort_keys=False), encoding="utf-8")
        intent = load_intent(file)
    catalogue = load_catalogue()
    network = design(intent, catalogue, {name: each.facts for name, each in platforms().items()})
    switches: dict[str, Realised] = {}
    for each in device_configs(network):
        switches.setdefault(_kind(network, each), each)
    needed = host_needs(demands(intent, kinds().planes), catalogue, intent.marks)
    lines = {kind: frozenset(_lines(each)) for kind, each in switches.items()}
    return Site(switches, lines, host_vars(network, needed, "gpu-1").ansible())


def _kind(network: Network, each: Realised) -> str:
    config = each.config
    return f"{network.device(config.name).role} {config.model} with {config.os} {config.release}"


def _lines(each: Realised) -> Iterator[str]:
    """Every line with its block, the port left out of it."""
    config = each.config
    text = render(config, each.capabilities, environment(config.os))
    for path in platforms()[config.os].to_tree(text).paths():
        words = " / ".join(path)
        yield re.sub(r"(?i)\b(interface(?: /)? )(?:Ethernet|swp)[\w/]*", r"\1<port>", words)


def page(profile: str) -> str:
    """The whole page of one profile."""
    like = "spectrum_x" if profile == "spectrum_x" else "three"
    other = "pfc_only" if profile == "dcqcn" else "dcqcn"
    site, beside = built(profile, like), built(other, like)
    about = ABOUT[profile]
    head = HEAD.format(profile=profile, site=SITES[like], what=about.what, needs=about.needs, leaves=about.leaves)
    return "".join(
        [head, *_switches(site), *_watchdog(site), *_differences(site, beside, other), *_hosts(site), *_firmware(site)]
    )


def _switches(site: Site) -> Iterator[str]:
    yield "\n## Switches\n\n| switch | queue | share | paused | marks from, to, at most | balances |\n"
    yield "|---|---|---|---|---|---|\n"
    for kind, each in site.switches.items():
        config = each.config
        if config.qos is None:
            continue
        balances = config.load_balancing.mode if config.load_balancing else "by hash"
        for profile, queue in ((one, queue) for one in config.qos.profiles for queue in one.queues):
            paused = {one.queue for one in config.qos.classes if one.priority in profile.pfc_priorities}
            share = "strict" if queue.strict else f"{queue.weight_percent} %"
            ecn = (
                f"{queue.ecn.min_bytes} B, {queue.ecn.max_bytes} B, {queue.ecn.probability_percent} %"
                if queue.ecn
                else ""
            )
            is_paused = "yes" if queue.number in paused else ""
            yield f"| {kind}{_of(each, profile)} | {queue.number} | {share} | {is_paused} | {ecn} | {balances} |\n"
    if any(map(_marks, site.switches.values())):
        yield "\n`ecn: auto` by ASIC and speed of the ports, and where each figure is from: [ecn.md](ecn.md).\n"


def _of(each: Realised, profile: PortProfile) -> str:
    """The speeds of the ports with this profile, where there are several profiles."""
    if each.config.qos is None or len(each.config.qos.profiles) == 1:
        return ""
    carrying = (port for port in each.config.interfaces if port.qos_profile == profile.name)
    speeds = sorted({port.layer1.speed_gbps for port in carrying if port.layer1 is not None})
    return f", {' and '.join(f'{gbps}G' for gbps in speeds) or 'no port'}"


def _marks(each: Realised) -> bool:
    return each.config.qos is not None and any(queue.ecn for one in each.config.qos.profiles for queue in one.queues)


def _watchdog(site: Site) -> Iterator[str]:
    order = firing_order(site.switches)
    yield "\n## Watchdog of paused queues\n\n"
    if not order:
        yield "None: nothing is paused.\n"
        return
    yield "In the order in which they fire, of queues that stand still at the same moment; systems that take times "
    yield "have the same:\n\n| switch | polls | drops after | back after | times |\n|---|---|---|---|---|\n"
    for firing in order:
        for kind in sorted(firing.kinds):
            each = site.switches[kind]
            dog = each.config.qos.watchdog if each.config.qos else None
            if dog is not None:
                how = each.capabilities.watchdog_gap or "set"
                yield f"| {kind} | {dog.poll_ms} ms | {dog.detect_ms} ms | {dog.restore_ms} ms | {how} |\n"
    yield f"\nHosts: {NIC_GAP}.\n"


def _differences(site: Site, beside: Site, other: str) -> Iterator[str]:
    yield f"\n## Lines beside `congestion: {other}`\n\n"
    yield "`+` is there alone with this profile, `-` alone with the other one.\n"
    for kind, lines in site.lines.items():
        changed = [f"- {each}" for each in sorted(beside.lines[kind] - lines)]
        changed += [f"+ {each}" for each in sorted(lines - beside.lines[kind])]
        yield f"\n### {kind}\n\n```\n" + "".join(f"{each}\n" for each in changed) + "```\n"


ROLES = ("roce_qos", "nccl")
OF_THE_SITE = ("rails", "socket_interfaces", "cable_m")


def _hosts(site: Site) -> Iterator[str]:
    yield "\n## Hosts\n\n| variable | value |\n|---|---|\n"
    for name, value in site.host.items():
        role = next((each for each in ROLES if name.startswith(each)), None)
        if role is None or name.removeprefix(f"{role}_") in OF_THE_SITE:
            continue
        if name == "roce_qos_classes":
            for each in value:
                yield f"| `{name}`, {each['name']} | {_of_class(each)} |\n"
        else:
            yield f"| `{name}` | {str(value).lower() if isinstance(value, bool) else value} |\n"


def _of_class(each: Mapping[str, Any]) -> str:
    share = "strict" if each["strict"] else f"{each['weight_percent']} %"
    points = f"DSCP {each['dscp'][0]}" if len(each["dscp"]) == 1 else f"{len(each['dscp'])} code points"
    return f"{points}, priority {each['priority']}, {share}{', paused' if each['lossless'] else ''}"


def _firmware(site: Site) -> Iterator[str]:
    host = site.host
    own = {name: host[f"roce_qos_{name}"] for name in ("ecn", "priority", "cnp_dscp", "cnp_priority")}
    chosen = {"spectrum_x": host.get("roce_qos_spectrum_x", False), "policy": True, "reorder": False, "vfs": -1}
    kept = dict.fromkeys(("link_type", "mode", "cc_algorithm", "pci_wr_ordering", "ats"), "keep")
    yield "\n## Firmware of NICs: role `nic_firmware` with `nic_firmware_policy: true`\n\n"
    yield "| setting | value |\n|---|---|\n"
    for want in wanted_settings({**own, **chosen, **kept}):
        yield f"| `{want.on_port(1)}` | {want.value} |\n"


if __name__ == "__main__":
    made = {ROOT / "docs" / f"congestion-{profile}.md": page(profile) for profile in PROFILES}
    sys.exit(max([compare_or_write(file, text, "as the profile sets it") for file, text in made.items()]))
