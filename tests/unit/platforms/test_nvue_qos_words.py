"""What ``qos roce`` sets, and single paths of ``qos`` set too: the paths decide, as where NVIDIA's page changes RoCE.

CumulusNetworks/docs, RDMA-over-Converged-Ethernet-RoCE.md, "Change RoCE Configuration". The word decides only what no
path says: that there is a lossless pool or none, how large pools are, and for which length of cable PFC has headroom
where the system's own is enough.
"""

from collections.abc import Iterator
from functools import cache

import pytest

from nornir_tasks.design.pipeline import Realised, device_configs
from nornir_tasks.files.templates import environment
from nornir_tasks.platforms import platform
from nornir_tasks.render.render import render
from tests.unit.design import front, toys


@cache
def switches() -> tuple[Realised, ...]:
    """Lossless ones and lossy ones."""
    every = (*device_configs(toys.real_lab()), *device_configs(front.network()))
    return tuple(each for each in every if each.config.os == "nvue" and each.config.qos is not None)


def left_to_the_word(each: Realised) -> Iterator[str]:
    """Settings that packets of the policy's classes meet, and that no path says."""
    qos, shared = each.config.qos, "default-global"
    assert qos is not None
    tree = platform("nvue").to_tree(render(each.config, each.capabilities, environment("nvue")))
    rows = {" / ".join(path) for path in tree.paths()}

    def is_set(*path: str) -> bool:
        return any(row.startswith(" / ".join(("qos", *path))) for row in rows)

    for dscp in range(64):
        if not is_set("mapping", shared, "dscp", str(dscp), "switch-priority: "):
            yield f"priority of DSCP {dscp}"
    if not is_set("mapping", shared, "trust: "):
        yield "trust"
    for known in qos.classes:
        if not is_set("egress-queue-mapping", shared, "switch-priority", str(known.priority), "traffic-class: "):
            yield f"queue of priority {known.priority}"
        if known.lossless and not is_set("pfc", shared, "switch-priority", str(known.priority)):
            yield f"PFC of priority {known.priority}"
    for profile in qos.profiles:
        for queue in profile.queues:
            at = (profile.name, "traffic-class", str(queue.number))
            if not is_set("egress-scheduler", *at, "mode: "):
                yield f"scheduling of queue {queue.number}"
            if queue.number in (0, 3) and not is_set("congestion-control", *at, "ecn: "):
                yield f"ECN of queue {queue.number}"


def test_lossless_and_lossy_switches_are_judged() -> None:
    found = {known.lossless for each in switches() for known in (each.config.qos.classes if each.config.qos else ())}
    assert found == {True, False}


@pytest.mark.parametrize("each", switches(), ids=lambda each: each.config.name)
def test_packets_meet_nothing_that_only_the_word_sets(each: Realised) -> None:
    assert list(left_to_the_word(each)) == []
