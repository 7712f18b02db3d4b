"""Which ports of each host the SR-IOV device plug-in offers by a configuration, and whether those are the rails.

Its rules, each with file and lines: tests/corpus/kubernetes/device_plugin.tsv; a test compares ``SELECTORS`` with it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from nornir_tasks.checks.manifests.intended import HostPort, Intended
from nornir_tasks.checks.manifests.judged import Asks, Sheet
from nornir_tasks.checks.manifests.objects import at, texts
from nornir_tasks.checks.manifests.scopes import BY_LABEL, Scope
from nornir_tasks.intent.core.findings import Path

VENDOR = "15b3"
"""PCI vendor ID of the NICs that these operators know (tests/corpus/kubernetes)."""
DRIVER, ETHERNET = "mlx5_core", "ether"
OF_FUNCTIONS = ("pfNames", "rootDevices")
"""What a whole port has nothing of: its PF's name and address are virtual functions'."""
SELECTORS = (
    *("vendors", "devices", "drivers", "pciAddresses", "acpiIndexes", "linkTypes", "ddpProfiles", "pKeys"),
    *OF_FUNCTIONS,
)
Selectors = Mapping[str, object]
SAME = "of NICs that the intent does not describe so far: model, at"


@dataclass
class Chosen:
    """What one resource offers on the hosts of one kind."""

    label: str
    """Those hosts, in words."""
    ports: list[HostPort] = field(default_factory=list)
    unsure: list[HostPort] = field(default_factory=list)
    """Ports of which the intent says too little."""

    @property
    def rails(self) -> frozenset[int]:
        return frozenset(each.rail for each in self.ports if each.rail is not None)

    @property
    def others(self) -> list[HostPort]:
        """Ports of other planes."""
        return [each for each in self.ports if each.rail is None]


def is_of_functions(selectors: Iterable[Selectors]) -> bool:
    """Does each object name ports whose virtual functions it wants?"""
    return all(any(texts(at(one, key)) for key in OF_FUNCTIONS) for one in selectors)


def simulate(
    entries: Sequence[tuple[str, Sequence[Selectors]]], scope: Scope, split: frozenset[int], intended: Intended
) -> dict[str, list[Chosen]]:
    """Resource -> what it offers on each kind of host. A device goes to the first resource that takes it.

    ``split``: rails whose ports have virtual functions, so that the plug-in leaves the ports themselves out.
    """
    found: dict[str, list[Chosen]] = {name: [] for name, _ in entries}
    own = {each.name for each in intended.pods.groups}
    for group in sorted(scope.groups & intended.ports.keys(), key=lambda each: (each not in own, each)):
        for label, ports in intended.ports[group]:
            left = [each for each in ports if each.rail not in split]
            for name, selectors in entries:
                chosen = Chosen(label)
                for one in selectors:
                    results = {port: passes(port, one) for port in left}
                    chosen.ports += [port for port, result in results.items() if result]
                    chosen.unsure += [port for port, result in results.items() if result is None]
                    left = [port for port in left if port not in chosen.ports]
                found[name].append(chosen)
    return found


def passes(port: HostPort, selectors: Selectors) -> bool | None:
    """Does a whole port pass these selectors? None: the intent says too little of it.

    A port without a model that is named by its own address counts as passed: whatever it is, it is meant.
    """
    is_known = bool(port.device)
    has: dict[str, str | None] = {
        "vendors": VENDOR if is_known else None,
        "devices": port.device if is_known else None,
        "drivers": DRIVER if is_known else None,
        "pciAddresses": port.place,
        "acpiIndexes": None,
        "linkTypes": ETHERNET,
    }
    results: list[bool | None] = []
    for key, value in has.items():
        if wanted := texts(at(selectors, key)):
            results.append(None if value is None else value in wanted)
    if any(texts(at(selectors, key)) for key in SELECTORS if key not in has):
        results.append(False)
    if at(selectors, "isRdma") is True:
        results.append(True if is_known or port.rail is not None else None)
    is_named = port.place in texts(at(selectors, "pciAddresses"))
    return False if False in results else None if None in results and not is_named else True


def judge(sheet: Sheet, path: Path, name: str, chosen: Sequence[Chosen], intended: Intended) -> frozenset[int]:
    """The rails behind one resource, judged: one, the same on all hosts, and no port of another plane."""
    subject, rails = f"resource {name}", frozenset[int]().union(*(each.rails for each in chosen))
    others = [each for each in chosen if each.others]
    every = ", ".join(rail.port for rail in intended.rails)
    where = intended.nics_at(intended.pods.groups[0].name, "at")
    several = next((each for each in chosen if len(each.rails) > 1), None)
    if not rails and others and name not in intended.by_port:
        port = others[0].others[0]
        sheet.skipped("rail", path, f"{subject}: {port.interface} is of plane {port.plane}")
    elif several is not None:
        what = f"{subject}: a pod gets a port of any of {len(several.rails)} rails, whatever its network"
        sheet.failed(
            "rail", path, what, intended.names(several.rails), Asks(f"one of {every}", where, _remedy(intended))
        )
    elif others:
        port = others[0].others[0]
        what = f"{subject}: on {others[0].label} this is {port.interface} of plane {port.plane}, which a pod would take"
        sheet.failed("rail", path, what, port.place, Asks(f"a rail: one of {every}", where, BY_LABEL))
    elif len(rails) > 1:
        shown = "; ".join(f"{intended.names(each.rails)} on {each.label}" for each in chosen if each.rails)
        what = f"{subject}: another rail on other hosts, so pods on one network are on several rails"
        sheet.failed("rail", path, what, shown, Asks("one rail on all hosts", where, BY_LABEL))
    elif any(each.unsure for each in chosen):
        port = next(each.unsure[0] for each in chosen if each.unsure)
        what = f"{subject}: whether it takes {port.interface} of plane {port.plane} cannot be told from the intent"
        sheet.unclear("rail", path, what, f"choose by pciAddresses; {SAME}")
    elif rails:
        sheet.passed("rail", path, f"{subject} is {intended.names(rails)}")
    else:
        hosts = ", ".join(dict.fromkeys(each.label for each in chosen)) or "any host"
        what = f"{subject} selects nothing: {hosts} have no such device, and no pod gets one"
        sheet.failed("rail", path, what, "no device", Asks(f"one of {every}", where, _remedy(intended)))
    return rails


def selects_no_port(sheet: Sheet, path: Path, name: str, found: str, intended: Intended) -> None:
    """A resource that names ports, where pods take these whole."""
    what = (
        f"resource {name} selects nothing: names and addresses of a port stand for its virtual functions, and plane "
        f"{intended.pods.plane} gives pods whole ports"
    )
    where = intended.nics_at(intended.pods.groups[0].name, "at")
    sheet.failed("rail", path, what, found, Asks("the port's own PCI address", where, _remedy(intended)))


def _remedy(intended: Intended) -> str:
    places = next((each.places for each in intended.pods.groups if each.places), ())
    example = places[0] if places else "0000:18:00.0"
    return f'one resource for each rail: "pciAddresses": ["{example}"], in small letters (nornir export k8s-rdma)'


def likely(found: Mapping[str, list[Chosen]]) -> tuple[dict[str, list[Chosen]], list[str]]:
    """Of hosts among which labels choose: those that the configuration fits, and the others, in words.

    Where it fits none, all are left, so that what is wrong is named.
    """
    labels = dict.fromkeys(each.label for every in found.values() for each in every)
    of_label = {label: [each for every in found.values() for each in every if each.label == label] for label in labels}
    fits = [label for label, every in of_label.items() if _fits(every)]
    wrong = [label for label, every in of_label.items() if label not in fits and any(each.ports for each in every)]
    if not fits:
        fits = list(labels)
        wrong = []
    return {name: [each for each in every if each.label in fits] for name, every in found.items()}, wrong


def _fits(every: Sequence[Chosen]) -> bool:
    return any(each.rails for each in every) and not any(each.others or len(each.rails) > 1 for each in every)


def missing(
    found: Mapping[str, list[Chosen]], intended: Intended, scope: Scope
) -> Iterator[tuple[str, frozenset[int]]]:
    """Hosts, in words, and the rails of theirs that no resource offers."""
    for group in sorted(scope.groups & intended.ports.keys()):
        for label, ports in intended.ports[group]:
            every = [each for chosen in found.values() for each in chosen if each.label == label]
            wanted = frozenset(each.rail for each in ports if each.rail is not None)
            offered = frozenset[int]().union(*(each.rails for each in every))
            if every and wanted - offered:
                yield label, wanted - offered
