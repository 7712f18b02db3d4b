"""ECN before PFC: senders are slowed down by marks before a port pauses them.

That hangs on how deep a queue may grow before its port pauses: with a dynamic threshold alpha x S / (1 + alpha x n) for
n congested ports over a shared pool of S bytes. No line of our systems' configurations shows alpha and pool, so what
can be judged is that marking is there and has an effect; whether it comes first could not be told, and never passes.
"""

from nornir_tasks.proofs.cables import Read
from nornir_tasks.proofs.verdicts import Outcome, Tally

NAME = "ecn-before-pfc"
NOT_SHOWN = "no line of {} shows alpha and the pool that its pause threshold follows from"
NOTHING_PAUSED = "nothing is paused there"
NO_MARKS = "pauses alone: nothing is marked by declaration"


def judge(read: Read) -> Outcome:
    """Every switch that pauses a class."""
    tally = Tally()
    for name, why in read.unreachable.items():
        tally.count((), (f"{name} could not be read: {why}",))
    for switch in read.switches.values():
        qos = switch.config.qos
        paused = {each.queue for each in qos.classes if each.lossless} if qos is not None else set()
        marked = {each.number for profile in (qos.profiles if qos else ()) for each in profile.queues if each.ecn}
        if not paused:
            tally.skipped[NOTHING_PAUSED] += 1
        elif not paused & marked:
            tally.skipped[NO_MARKS] += 1
        else:
            tally.count((), (), (NOT_SHOWN.format(switch.config.os),))
    return tally.outcome(NAME, "switches")
