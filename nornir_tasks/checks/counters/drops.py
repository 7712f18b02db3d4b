"""Packets that a lossless class lost: at a queue, at the way in, by the watchdog, or as hosts notice it."""

from dataclasses import replace

from nornir_tasks.checks.about import About
from nornir_tasks.checks.counters.soaked import Hit, Soak, number
from nornir_tasks.platforms.counted import Counter

DROPS = About(
    name="lossless-drops",
    each="switch with lossless ports",
    reads=(Counter.QUEUE_DROPS, Counter.INPUT_DROPS),
    wanted="interfaces: qos_profile; qos.profiles: pfc_priorities",
    passes="no lossless queue of any port dropped a packet, and no such port dropped one at the way in",
    fails="one did, whatever the number: the class was to be paused",
    cannot_tell="the system shows neither counter; or packets were dropped at the way in of a port that sent no "
    "pauses, where no system says of which class",
)
WATCHDOG = About(
    name="pause-watchdog",
    each="switch, and host",
    reads=(Counter.WATCHDOG,),
    wanted="interfaces: qos_profile; qos.profiles: pfc_priorities",
    passes="the watchdog for pause frames found no queue stuck",
    fails="it did: from then on that queue dropped",
)
HOST_LOSS = About(
    name="host-loss",
    each="host",
    reads=(Counter.SEQUENCE_ERRORS, Counter.RETRANSMITS, Counter.OUT_OF_SEQUENCE),
    wanted="the load balancing of the fabric: packets out of order are lost ones only where no switch sprays packets",
    passes="its RDMA devices sent nothing again, and saw no gap",
    fails="they did: packets were lost on a way that was to lose none",
)
GPU = About(
    name="gpu-errors",
    each="host",
    reads=(Counter.XID, Counter.NVLINK_ERRORS),
    wanted="none",
    passes="its GPUs reported no error, nor did the links between them",
    fails="they did: what is slow is not the network",
)
ABOUT = (DROPS, WATCHDOG, HOST_LOSS, GPU)


def check_drops(soak: Soak) -> list[Hit]:
    """A drop in a lossless queue always fails.

    At the way in no system says of which class: where the port paused as well it was the class that is paused.
    """
    hits = []
    for device in soak.switches:
        for port in soak.lossless_ports(device):
            lost = soak.grown(Counter.QUEUE_DROPS, device, port, soak.lossless_queues(device, port)) or 0
            if refused := soak.rates[device].at(Counter.INPUT_DROPS, port) if not lost else 0:
                hits.append(_refused(soak, device, port, refused))
            elif lost:
                queues = ", ".join(map(str, sorted(soak.lossless_queues(device, port))))
                hits.append(_dropped(soak, device, port, f"dropped from lossless queue {queues}", lost))
    return hits


def _refused(soak: Soak, device: str, port: str, refused: float) -> Hit:
    if soak.grown(Counter.PFC_TX, device, port, soak.lossless(device, port)):
        return _dropped(soak, device, port, "dropped at the way in though it paused: headroom is too small", refused)
    words = "dropped at the way in, without a pause: of which class cannot be told"
    return replace(_dropped(soak, device, port, words, refused), is_certain=False)


def _dropped(soak: Soak, device: str, port: str, words: str, count: float) -> Hit:
    seconds = soak.seconds(device)
    return Hit(
        device,
        port,
        f"{soak.where(device, port)}: {number(count)} packets {words}, in {seconds:.0f} s",
        "no packet of a lossless class is dropped",
        f"{number(count)} packets",
        ("drops", device),
        _drop_remedy(soak, device, port),
        count,
    )


def _drop_remedy(soak: Soak, device: str, port: str) -> str:
    far = soak.far(device, port)
    ends = [device, *((far.device,) if far is not None and soak.is_switch(far.device) else ())]
    limits = " ".join(f"--limit {name}" for name in ends)
    return (
        f"do both ends pause, and is there headroom for {soak.cable(device, port) or port}? "
        f"nornir validate --only pfc {limits}; nornir prove --only headroom-fits"
    )


def check_watchdog(soak: Soak) -> list[Hit]:
    """The watchdog acted: a switch's on what the far end paused, a NIC's on the host that takes nothing in."""
    hits = []
    for device in (*soak.switches, *soak.read_hosts):
        is_host = device in soak.hosts
        for place, value in soak.positive(Counter.WATCHDOG, device):
            far = soak.far(device, place.port)
            whom = device if is_host or far is None else far.device
            queue = "" if place.index is None else f" for queue {place.index}"
            words = f"the {'NIC' if is_host else 'switch'}'s pause watchdog acted {number(value)} times{queue}"
            message = f"{soak.where(device, place.port)}: {words}"
            remedy = f"{soak.standing(whom)} pauses without end: nornir counters --port {device}:{place.port}"
            found, key = f"{number(value)} events", ("stuck", whom)
            hits.append(Hit(device, place.port, message, "no queue is stuck", found, key, remedy, value))
    return hits


def check_host_loss(soak: Soak) -> list[Hit]:
    """A host that sends again knows that something was lost; it does not know where."""
    sprayed = any(each.load_balancing == "per_packet" for each in soak.network.fabrics.values())
    counters = (Counter.SEQUENCE_ERRORS, Counter.RETRANSMITS, *(() if sprayed else (Counter.OUT_OF_SEQUENCE,)))
    hits = []
    for host in soak.read_hosts:
        found = {each: sum(soak.rates[host].of(each).values()) for each in counters}
        if lost := {each: value for each, value in found.items() if value}:
            words = ", ".join(f"{number(value)} {each}" for each, value in lost.items())
            hits.append(
                Hit(
                    host,
                    "",
                    f"{soak.standing(host)}: {words} in {soak.seconds(host):.0f} s",
                    "nothing is lost on the way",
                    words,
                    ("loss", host),
                    f"its ways, port by port: nornir counters --host {host}",
                    sum(lost.values()),
                )
            )
    return hits


def check_gpus(soak: Soak) -> list[Hit]:
    """Errors of GPUs and of the links between them."""
    hits = []
    for host in soak.read_hosts:
        for counter in (Counter.XID, Counter.NVLINK_ERRORS):
            for place, value in soak.positive(counter, host):
                message = f"{soak.standing(host)} {place.port}: {number(value)} {counter}"
                remedy = f"take {host} out of the scheduler, and look at dmesg there for {place.port}"
                hits.append(
                    Hit(host, place.port, message, "none", number(value), ("gpu", host, place.port), remedy, value)
                )
    return hits
