"""Stand-in for mlnx_qos as MLNX_OFED 5.x has it: tests/recorded/mlnx_qos, and its source where nothing was pasted.

Its traps are those of the source: ``--trust dscp`` sets DSCP/8 for all 64 code points, the last entry deleted gives
trust pcp, ``--cable_len`` alone turns PFC off, and ``--trust`` fails as long as the firmware owns DCBX.
"""

from __future__ import annotations

import sys
from optparse import OptionParser

from nic_state import Nic, log_call, not_recorded

NO_TRUST = "Priority trust state is not supported on your system"
BAD_VALUE = "Netlink error: Bad value. see dmesg."
UNSUPPORTED = (
    NO_TRUST,
    "Buffers commands are not supported on your system",
    "Rate limit is not supported on your system!",
    "ETS features are not supported on your system",
)


def stop(*lines: str) -> None:
    """What the tool says when it gives up; it says it on standard output."""
    for line in lines:
        print(line)
    sys.exit(1)


def parser() -> OptionParser:
    made = OptionParser(usage="%prog -i <interface> [options]", prog="mlnx_qos", add_help_option=False)
    for names in (
        ("-f", "--pfc"),
        ("-p", "--prio_tc"),
        ("-s", "--tsa"),
        ("-t", "--tcbw"),
        ("-d", "--dcbx"),
        ("--trust",),
        ("--cable_len",),
        ("--prio2buffer",),
        ("--buffer_size",),
        ("-i", "--interface"),
    ):
        made.add_option(*names)
    made.add_option("--dscp2prio", action="append")
    for names in (("-F", "--specific_pfc"), ("-P", "--get_pfc"), ("-r", "--ratelimit"), ("--defltprio",)):
        made.add_option(*names, dest="unknown", action="append")
    made.add_option("-a", "-h", "--help", "--version", dest="unknown", action="append_const", const="")
    return made


def numbers(made: OptionParser, text: str, words: tuple[str, str, str], highest: int) -> list[int]:
    """Eight numbers; ``words`` are the tool's names for the value, for too many and for too few."""
    value_name, many, few = words
    found = []
    for each in text.split(","):
        if len(found) >= 8:
            stop(f"Too many items {many}")
        if not each.isdigit():
            not_recorded("mlnx_qos", value_name, text)
        if int(each) > highest:
            print(f"Bad value for {value_name}: {each} is not in the range 0..{highest}")
            made.print_usage()
            sys.exit(1)
        found.append(int(each))
    if len(found) != 8:
        stop(f"{few} list must have 8 items")
    return found


def main(words: list[str]) -> int:
    """Exit code as the real tool's."""
    log_call("mlnx_qos", words)
    made = parser()
    options, left = made.parse_args(words)
    if options.unknown:
        not_recorded("mlnx_qos", *words)
    if left:
        print("Bad arguments")
        made.print_usage()
        return 1
    if options.interface is None:
        print("Interface name is required")
        made.print_usage()
        return 1
    try:
        with Nic(options.interface).opened() as nic:
            if nic.state["driver"] not in ("mlx5_core", "memory"):
                stop(*UNSUPPORTED)
            work(made, options, nic)
            show(nic)
    except OSError:
        not_recorded("mlnx_qos for an interface that is not there")
    return 0


def work(made: OptionParser, options, nic: Nic) -> None:
    """In the order of the source: DCBX, PFC, code points, trust, buffers, ETS."""
    if options.dcbx:
        set_dcbx(nic, options.dcbx)
    if options.pfc or options.cable_len:
        set_pfc(made, options, nic)
    if options.dscp2prio and options.trust:
        stop("trust and dscp2prio commands cannot be used at the same time.")
    if options.dscp2prio:
        set_code_points(nic, options.dscp2prio)
    if options.trust:
        set_trust(nic, options.trust)
    if options.prio2buffer or options.buffer_size:
        set_buffers(made, options, nic)
    if options.tsa or options.tcbw or options.prio_tc:
        set_ets(made, options, nic)


def set_dcbx(nic: Nic, wanted: str) -> None:
    if wanted not in ("os", "fw", "get"):
        stop("Invalid dcbx mode command. Refer to the help.")
    others = [each for each in nic.state["dcbx"] if each != "host"]
    if wanted != "get":
        nic.state["dcbx"] = (["host"] if wanted == "os" else []) + others


def set_pfc(made: OptionParser, options, nic: Nic) -> None:
    delay = int(options.cable_len or 0)
    pfc = [0] * 8
    if options.pfc:
        pfc = numbers(made, options.pfc, ("PFC", "for PFC", "pfc"), 1)
    if not nic.set_pfc([bool(each) for each in pfc], delay):
        stop(BAD_VALUE)


def set_code_points(nic: Nic, commands: list[str]) -> None:
    steps = []
    for command in commands:
        action, _, rest = command.partition(",")
        point, _, priority = rest.partition(",")
        numeric = point.isdigit() and priority.isdigit() and int(point) <= 63 and int(priority) <= 7
        if command != "flush" and (action not in ("set", "del") or not numeric):
            stop("Invalid dscp2prio command. Refer to the help.")
        steps.append((action, int(point or 0), int(priority or 0)))
    if "host" not in nic.state["dcbx"]:
        not_recorded("mlnx_qos --dscp2prio while the firmware owns DCBX")
    try:
        for action, point, priority in steps:
            if action == "set":
                nic.set_app(point, priority)
            elif action == "del":
                nic.delete_app(point, priority)
            else:
                nic.state["app"] = []
    except OSError:
        stop("dscp2prio command failed")


def set_trust(nic: Nic, wanted: str) -> None:
    if wanted not in ("dscp", "pcp"):
        stop("Invalid trust state command. Refer to the help.")
    if "host" not in nic.state["dcbx"]:
        stop(NO_TRUST)
    if wanted == "pcp":
        nic.state["app"] = []
    elif not nic.trusts_dscp:
        for dscp in range(64):
            nic.set_app(dscp, dscp >> 3)


def set_buffers(made: OptionParser, options, nic: Nic) -> None:
    priorities, sizes = nic.state["priority_buffer"], nic.state["buffer_bytes"]
    if options.prio2buffer:
        priorities = numbers(made, options.prio2buffer, ("prio buffer", "for prio2buffer", "prio2buffer"), 7)
    if options.buffer_size:
        sizes = numbers(made, options.buffer_size, ("buffer_size", "for buffer_size", "buffer_size"), 1 << 31)
    if not nic.set_buffer(priorities, sizes):
        stop("Buffers commands error")


def set_ets(made: OptionParser, options, nic: Nic) -> None:
    tsa, bw, prio = nic.state["tc_tsa"], nic.state["tc_bw"], nic.state["prio_tc"]
    if options.tsa:
        tsa = options.tsa.split(",")
        if not set(tsa) <= {"strict", "ets", "vendor"}:
            not_recorded("mlnx_qos --tsa", options.tsa)
        if len(tsa) != 8:
            stop("tsa list must have 8 items")
    if options.tcbw:
        bw = numbers(made, options.tcbw, ("ETS BW", "for ETS BW", "tcbw"), 100)
        if any(bw[tc] and tsa[tc] != "ets" for tc in range(8)):
            print("ETS BW for a strict/vendor TC must be 0")
            made.print_usage()
            sys.exit(1)
    if options.prio_tc:
        prio = numbers(made, options.prio_tc, ("UP => TC mapping", "in UP => TC mapping", "prio_tc"), 7)
    if not nic.set_ets(prio, tsa, bw):
        stop(BAD_VALUE)


def show(nic: Nic) -> None:
    state = nic.state
    print(f"DCBX mode: {'OS' if 'host' in state['dcbx'] else 'Firmware'} controlled")
    print(f"Priority trust state: {'dscp' if nic.trusts_dscp else 'pcp'}")
    if nic.trusts_dscp:
        print("dscp2prio mapping:")
        show_code_points(state["app"])
    print("Receive buffer size (bytes): " + "".join(f"{each}," for each in state["buffer_bytes"]))
    print(f"Cable len: {state['delay']}")
    print("PFC configuration:\n\tpriority    0   1   2   3   4   5   6   7")
    print("\tenabled     " + "".join(f"{int(each)}   " for each in state["pfc"]))
    print("\tbuffer      " + "".join(f"{each}   " for each in state["priority_buffer"]))
    for tc in sorted(set(state["prio_tc"])):
        share = f"ets, bw: {state['tc_bw'][tc]}%" if state["tc_tsa"][tc] == "ets" else state["tc_tsa"][tc]
        print(f"tc: {tc} ratelimit: unlimited, tsa: {share}")
        for priority in range(8):
            if state["prio_tc"][priority] == tc:
                print(f"\t priority:  {priority}")


def show_code_points(table: list) -> None:
    """As the kernel lists them, the newest first; eight to a line."""
    for priority in range(8):
        points = [dscp for dscp, mapped in table if mapped == priority]
        for start in range(0, len(points), 8):
            print(f"\tprio:{priority} dscp:" + "".join(f"{each:02d}," for each in points[start : start + 8]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
