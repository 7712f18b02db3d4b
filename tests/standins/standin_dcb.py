"""Stand-in for dcb of iproute2 6.1: pfc, ets, app, buffer and dcbx as tests/recorded/dcb has them."""

from __future__ import annotations

import json
import os
import sys

from nic_state import Nic, log_call, not_recorded

PFC_SET = """Usage: dcb pfc set dev STRING
           [ prio-pfc PFC-MAP ]
           [ macsec-bypass { on | off } ]
           [ delay INTEGER ]

 where PFC-MAP := [ PFC-MAP ] PFC-MAPPING
       PFC-MAPPING := { all | TC }:PFC
       TC := { 0 .. 7 }
       PFC := { on | off }

"""
DCBX_SET = """Usage: dcb dcbx set dev STRING
           [ host | lld-managed ]
           [ cee | ieee ] [ static ]

"""
MODES = ("host", "lld-managed", "cee", "ieee", "static")


class RefusedError(Exception):
    """Words for standard error; the exit code is 1."""


def main(words: list[str]) -> int:
    """Exit code as the real tool's."""
    log_call("dcb", words)
    if words == ["-V"]:
        print("dcb utility, iproute2-6.1.0")
        return 0
    flags = []
    while words and words[0].startswith("-"):
        flags.append(words.pop(0))
    subject, verb, dev, name, *rest = [*words, "", "", "", ""]
    rest = [each for each in rest if each]
    known = {("pfc", "show"), ("pfc", "set"), ("ets", "show"), ("ets", "set"), ("buffer", "show"), ("buffer", "set")}
    known |= {("dcbx", "show"), ("dcbx", "set")} | {("app", v) for v in ("show", "add", "replace", "del", "flush")}
    if (subject, verb) not in known or dev != "dev" or not name or not set(flags) <= {"-j", "-s", "-N"}:
        not_recorded("dcb", *flags, *words)
    try:
        with Nic(name).opened() as nic:
            nic.need_dcb()
            VERBS[subject, verb if verb in ("show", "set") else "change"](nic, flags, verb, rest)
    except OSError as error:
        writes = (subject == "app" and verb != "flush") or (subject == "dcbx" and verb == "set")
        way = "write" if writes and verb != "show" else "read"
        print(f"Attribute {way}: {os.strerror(error.errno or 0)}", file=sys.stderr)
        return 1
    except RefusedError as refused:
        print(refused, file=sys.stderr)
        return 1
    return 0


def eight(values) -> str:
    return " ".join(f"{index}:{value}" for index, value in enumerate(values)) + " "


def flat(mapping: dict) -> None:
    print(json.dumps(mapping, separators=(",", ":")))


def on_off(values) -> list[str]:
    return ["on" if each else "off" for each in values]


def pairs(given: list[str], what: str, key: str, value: str, fallback: str) -> list[tuple[int | str, str]]:
    """KEY:VALUE words up to the first word of another kind, which stay in ``given``."""
    found = []
    while given and ":" in given[0]:
        left, _, right = given.pop(0).partition(":")
        if not (left == "all" or left.isdigit()):
            raise RefusedError(f"Invalid mapping {left}" if what == "app" else f"Invalid {fallback} mapping {left}")
        if left != "all" and int(left) > (63 if key == "DSCP" else 7):
            limit = 63 if key == "DSCP" else 7
            label = "mapping" if what == "app" else f"{fallback} mapping"
            raise RefusedError(f"In {key}:{value} mapping, {key} is expected to be 0..{limit}\nInvalid {label} {left}")
        found.append((left if left == "all" else int(left), right))
    return found


def spread(now: list, given: list[tuple[int | str, str]], convert) -> list:
    """The eight values after ``all:x`` and ``n:x`` words in their order."""
    after = list(now)
    for left, right in given:
        value = convert(left, right)
        for index in range(8) if left == "all" else [left]:
            after[index] = value
    return after


def one_of(names: tuple[str, ...], title: str, label: str):
    def convert(left, right: str) -> str:
        if right not in names:
            listed = ", ".join(f'"{each}"' for each in names)
            raise RefusedError(
                f'Error: argument of "{title}" must be one of {listed}, not "{right}"\nInvalid {label} mapping {left}'
            )
        return right

    return convert


def number(key: str, value: str, label: str):
    def convert(left, right: str) -> int:
        if not right.isdigit():
            not_recorded("dcb", label, f"{left}:{right}")
        if value and int(right) > 7:
            where = f"In {key}:{value} mapping, {value} is expected to be 0..7"
            raise RefusedError(f"{where}\nInvalid {label} {left}")
        return int(right)

    return convert


def show_pfc(nic: Nic, flags: list[str], verb: str, rest: list[str]) -> None:
    if rest:
        not_recorded("dcb pfc show", *rest)
    state = nic.state
    if "-j" in flags:
        answer = {"pfc_cap": 8, "macsec_bypass": False, "delay": state["delay"], "prio_pfc": state["pfc"]}
        flat({**answer, **({"requests": [0] * 8, "indications": [0] * 8} if "-s" in flags else {})})
        return
    print(f"pfc-cap 8 macsec-bypass off delay {state['delay']} ")
    print("prio-pfc " + eight(on_off(state["pfc"])))
    if "-s" in flags:
        print("requests " + eight([0] * 8))
        print("indications " + eight([0] * 8))


def set_pfc(nic: Nic, flags: list[str], verb: str, rest: list[str]) -> None:
    """A driver that refuses is not heard of: exit code 0, and nothing said (dcb/pfc_refused_by_driver.txt)."""
    if not rest:
        print(PFC_SET, end="", file=sys.stderr)
        return
    pfc, delay = nic.state["pfc"], nic.state["delay"]
    while rest:
        word = rest.pop(0)
        if word == "prio-pfc":
            given = pairs(rest, "pfc", "PRIO", "PFC", "pfc")
            switched = spread(on_off(pfc), given, one_of(("off", "on"), "PFC", "pfc"))
            pfc = [each == "on" for each in switched]
        elif word == "delay" and rest and rest[0].isdigit():
            delay = int(rest.pop(0))
        else:
            not_recorded("dcb pfc set", word, *rest)
    nic.set_pfc(pfc, delay)


def show_ets(nic: Nic, flags: list[str], verb: str, rest: list[str]) -> None:
    if rest:
        not_recorded("dcb ets show", *rest)
    state, zeros, strict = nic.state, [0] * 8, ["strict"] * 8
    shown = {"tc-bw": state["tc_bw"], "pg-bw": zeros, "tc-tsa": state["tc_tsa"], "prio-tc": state["prio_tc"]}
    shown |= {"reco-tc-bw": zeros, "reco-tc-tsa": strict, "reco-prio-tc": zeros}
    if "-j" in flags:
        keys = {name.replace("-", "_"): values for name, values in shown.items()}
        flat({"willing": False, "ets_cap": 8, "cbs": False, **keys})
        return
    print("willing off ets-cap 8 cbs off ")
    for name, values in shown.items():
        print(f"{name} {eight(values)}")


def set_ets(nic: Nic, flags: list[str], verb: str, rest: list[str]) -> None:
    """The sum is dcb's own test, over all classes; what the driver refuses is not heard of."""
    state = nic.state
    tsa, bw, prio = state["tc_tsa"], state["tc_bw"], state["prio_tc"]
    touched_bw = False
    while rest:
        word = rest.pop(0)
        if word == "willing" and rest[:1] == ["off"]:
            rest.pop(0)
        elif word == "tc-tsa":
            given = pairs(rest, "ets", "TC", "TSA", "tc-tsa")
            tsa = spread(tsa, given, one_of(("strict", "cbs", "ets", "vendor"), "TSA", "tc-tsa"))
        elif word == "tc-bw":
            touched_bw = True
            bw = spread(bw, pairs(rest, "ets", "TC", "BW", "tc-bw"), number("TC", "", "tc-bw mapping"))
        elif word == "prio-tc":
            given = pairs(rest, "ets", "PRIO", "TC", "prio-tc")
            prio = spread(prio, given, number("PRIO", "TC", "prio-tc mapping"))
        else:
            not_recorded("dcb ets set", word, *rest)
    if touched_bw and sum(bw) != 100:
        raise RefusedError(f"Bandwidth percentages in tc-bw sum to {sum(bw)}%, expected 100%")
    nic.set_ets(prio, tsa, bw)


def show_app(nic: Nic, flags: list[str], verb: str, rest: list[str]) -> None:
    if rest not in ([], ["dscp-prio"]):
        not_recorded("dcb app show", *rest)
    entries, defaults = sorted(nic.state["app"]), nic.state["default_priority"] if not rest else []
    if "-j" in flags:
        answer = {"default_prio": defaults} if defaults else {}
        flat({**answer, **({"dscp_prio": entries} if entries else {})})
        return
    if defaults:
        print("default-prio " + " ".join(map(str, defaults)) + " ")
    if entries:
        print("dscp-prio " + " ".join(f"{dscp}:{priority}" for dscp, priority in entries) + " ")


def change_app(nic: Nic, flags: list[str], verb: str, rest: list[str]) -> None:
    if verb == "flush":
        return flush_app(nic, rest)
    if rest[:1] == ["default-prio"]:
        return add_default(nic, verb, rest[1:])
    if rest[:1] != ["dscp-prio"] or len(rest) < 2 or any(":" not in each for each in rest[1:]):
        not_recorded("dcb app", verb, *rest)
    given = pairs(rest[1:], "app", "DSCP", "PRIO", "")
    wanted = [(dscp, number("DSCP", "PRIO", "mapping")(dscp, priority)) for dscp, priority in given]
    before = [tuple(each) for each in nic.state["app"]]
    for dscp, priority in wanted:
        if verb == "del":
            nic.delete_app(dscp, priority)
        elif verb == "add" or [dscp, priority] not in nic.state["app"]:
            nic.set_app(dscp, priority)
    if verb == "replace":
        replaced = dict(wanted)
        for dscp, priority in before:
            if replaced.get(dscp, priority) != priority:
                nic.delete_app(dscp, priority)  # mlx5 has done so itself by now: ENOENT
    return None


def flush_app(nic: Nic, rest: list[str]) -> None:
    if rest not in ([], ["dscp-prio"]):
        not_recorded("dcb app flush", *rest)
    nic.state["app"] = []
    if not rest:
        nic.state["default_priority"] = []


def add_default(nic: Nic, verb: str, rest: list[str]) -> None:
    """mlx5 takes no other selector than DSCP, and what dcb says then was not recorded."""
    if nic.mlx5 or verb != "add" or len(rest) != 1:
        not_recorded("dcb app", verb, "default-prio", *rest)
    nic.state["default_priority"].append(int(rest[0]))


def size(bytes_: int) -> str:
    return f"{bytes_ // 1024}Kb" if bytes_ and bytes_ % 1024 == 0 else f"{bytes_}b"


def show_buffer(nic: Nic, flags: list[str], verb: str, rest: list[str]) -> None:
    if rest:
        print(f'What is "{rest[0]}"?', file=sys.stderr)
        raise RefusedError(
            "Usage: dcb buffer show dev STRING\n           [ prio-buffer ] [ buffer-size ] [ total-size ]\n"
        )
    state = nic.state
    if "-j" in flags:
        flat(
            {
                "prio_buffer": state["priority_buffer"],
                "buffer_size": state["buffer_bytes"],
                "total_size": state["total_bytes"],
            }
        )
        return
    sizes = [*state["buffer_bytes"], state["total_bytes"]]
    if any(each >= 1 << 20 or (each >= 1024 and each % 1024) for each in sizes):
        not_recorded("dcb buffer show without -j of such sizes")
    print("prio-buffer " + eight(state["priority_buffer"]))
    print("buffer-size " + eight([size(each) for each in state["buffer_bytes"]]))
    print(f"total-size {size(state['total_bytes'])} ")


def set_buffer(nic: Nic, flags: list[str], verb: str, rest: list[str]) -> None:
    priorities, sizes = nic.state["priority_buffer"], nic.state["buffer_bytes"]
    if not rest:
        not_recorded("dcb buffer set without words")
    while rest:
        word = rest.pop(0)
        if word == "prio-buffer":
            given = pairs(rest, "buffer", "PRIO", "BUFFER", "priority")
            priorities = spread(priorities, given, number("PRIO", "BUFFER", "priority mapping"))
        elif word == "buffer-size":
            sizes = spread(sizes, pairs(rest, "buffer", "BUFFER", "SIZE", "buffer-size"), number("BUFFER", "", "size"))
        else:
            not_recorded("dcb buffer set", word, *rest)
    nic.set_buffer(priorities, sizes)


def show_dcbx(nic: Nic, flags: list[str], verb: str, rest: list[str]) -> None:
    modes = [mode for mode in MODES if mode in nic.state["dcbx"]]
    if "-j" in flags:
        flat({mode.replace("-", "_"): True for mode in modes})
    else:
        print(" ".join(modes) + " ")


def set_dcbx(nic: Nic, flags: list[str], verb: str, rest: list[str]) -> None:
    if not rest:
        print(DCBX_SET, end="", file=sys.stderr)
        return
    if not set(rest) <= set(MODES):
        not_recorded("dcb dcbx set", *rest)
    refused = ("lld-managed" in rest or "host" not in rest) if nic.mlx5 else "cee" in rest
    if refused or "dcbx" in nic.state["refuses"]:
        raise RefusedError("Attribute write: Unknown error -1")
    nic.state["dcbx"] = [mode for mode in MODES if mode in rest]


VERBS = {
    ("pfc", "show"): show_pfc,
    ("pfc", "set"): set_pfc,
    ("ets", "show"): show_ets,
    ("ets", "set"): set_ets,
    ("app", "show"): show_app,
    ("app", "change"): change_app,
    ("buffer", "show"): show_buffer,
    ("buffer", "set"): set_buffer,
    ("dcbx", "show"): show_dcbx,
    ("dcbx", "set"): set_dcbx,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
