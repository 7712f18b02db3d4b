"""What no switch of a fabric can do for several planes at once: refused at both places, with what it can."""

from collections.abc import Iterable, Iterator, Sequence

from nornir_tasks.design.demand.choices import Choice
from nornir_tasks.design.model.capabilities import MARKS, PAUSE, WEIGHT
from nornir_tasks.errors import DesignError
from nornir_tasks.intent.core.findings import Finding, Marks, as_shown
from nornir_tasks.intent.core.unknown import UnknownValueError
from nornir_tasks.intent.rules.traffic_class import shared_classes
from nornir_tasks.intent.settings import Terms

KNOBS = {"lossless": PAUSE, "weight": WEIGHT, "ecn": MARKS}
"""Key of a class in the intent -> the knob that ports may differ in, where a system has it per port."""


def check_profiles(on_fabric: Sequence[Terms], choices: Iterable[Choice], marks: Marks) -> None:
    """Raise DesignError with what planes want of their own and some kind of switch has once for all ports."""
    if any(each.classes.keys() != shared_classes(on_fabric)[0].keys() for each in on_fabric):
        raise UnknownValueError  # never in an intent without mistakes
    kinds = {(choice.os, choice.release, choice.model.model): choice for choice in choices}
    findings = [
        finding for choice in kinds.values() for finding in (*_once(on_fabric, choice), *_lossless(on_fabric, choice))
    ]
    if findings:
        raise DesignError(marks.problems(findings))


def _once(on_fabric: Sequence[Terms], choice: Choice) -> Iterator[Finding]:
    shared, shared_at = shared_classes(on_fabric)
    known = choice.capabilities
    free = ", ".join(key for key, knob in KNOBS.items() if known.is_per_port(knob)) or "nothing"
    for terms in on_fabric:
        for name in shared if terms.classes != shared else ():
            for key, knob in KNOBS.items():
                own, expected = (getattr(each[name], key) for each in (terms.classes, shared))
                if own != expected and not known.is_per_port(knob):
                    line = f" ({known.knobs[knob].line})" if knob in known.knobs else ""
                    what = f"{_name(choice)} has the {knob} of a class once for all ports{line}"
                    hint = f"its ports may differ in {free}; else put the planes on fabrics of their own"
                    path, also = (*terms.classes_at, name, key), (*shared_at, name, key)
                    yield Finding(path, what, _spell(expected), _spell(own), hint, also=also)


def _lossless(on_fabric: Sequence[Terms], choice: Choice) -> Iterator[Finding]:
    """Links between switches pause the classes of all planes; what one plane alone has, ``limits`` judges."""
    shared, shared_at = shared_classes(on_fabric)
    names = [name for name, each in shared.items() if each.lossless]
    most = choice.capabilities.max_lossless_classes
    if len(names) > most and all(each.classes_at != shared_at for each in on_fabric):
        where = [each for each in on_fabric if each.classes[names[most]].lossless]
        what = f"{len(names)} lossless classes on links of several planes, where {_name(choice)} takes {most}"
        hint = "put the planes on fabrics of their own, or let them share a lossless class"
        also = (*where[0].classes_at, names[most]) if where else ()
        path = (*shared_at, names[most], "lossless")
        yield Finding(path, what, f"at most {most}", ", ".join(names), hint, also=also)


def _name(choice: Choice) -> str:
    return f"{choice.model.model} with {choice.os} {choice.release}"


def _spell(value: object) -> str:
    return "none" if value is None else as_shown(value)
