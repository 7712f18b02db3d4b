"""The NX-OS twin accepts every line of the corpus and refuses every line that the corpus says a switch refuses."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from switch_twins.engine import ConfigSession, Context, LineError, Tree, load_text
from switch_twins.nxos.day0 import bare_tree, brownfield_tree
from switch_twins.nxos.grammar import nxos_grammar
from switch_twins.spec import DeviceSpec

CORPUS = Path(__file__).parents[1] / "corpus" / "nxos"
PORTS = tuple(f"Ethernet1/{number}" for number in range(1, 33))
FEATURES = (
    "bfd",
    "bgp",
    "dhcp",
    "hsrp",
    "interface-vlan",
    "lacp",
    "lldp",
    "nxapi",
    "ospf",
    "scp-server",
    "tacacs+",
    "vn-segment-vlan-based",
    "vpc",
)
OBJECTS = """
class-map type qos match-any cm_qos
class-map type qos match-any CNP
class-map type qos match-any ROCEv2
policy-map type qos QOS_CLASSIFICATION
policy-map type qos pm_qos
policy-map type queuing QOS_EGRESS_PORT
policy-map type queuing ROCE-INQ
policy-map type queuing pm_queuing_out
policy-map type network-qos qos_network
aaa group server tacacs+ aaa_server_group1
interface port-channel49
interface Vlan100
router bgp 65536
template peer PEER_BLLF
"""
"""What the lines refer to, as it stood on the switches they come from."""


@dataclass(frozen=True)
class CorpusLine:
    """One line of the corpus with the headers above it."""

    number: int
    text: str
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def modes(self) -> list[str]:
        """The chain of mode lines to enter first."""
        chain = [step.strip() for step in self.headers["mode"].split(";")]
        return [] if chain == ["global"] else chain


def read(name: str) -> list[CorpusLine]:
    """The lines of a corpus file. A section begins anew without error, asic, model and release; a mode without asic."""
    lines, headers = [], {}
    for number, raw in enumerate((CORPUS / name).read_text(encoding="utf-8").splitlines(), start=1):
        key, colon, value = raw.removeprefix("# ").partition(": ")
        if raw.startswith("#") and colon and key in ("section", "mode", "source", "error", "asic", "model", "release"):
            dropped = ("asic", "model", "release") if key in ("section", "mode", "source", "error") else ()
            headers = {k: v for k, v in headers.items() if k not in dropped}
            headers[key] = value
        elif raw and not raw.startswith("#"):
            lines.append(CorpusLine(number, raw, dict(headers)))
    return lines


def switch(line: CorpusLine) -> tuple[Tree, Context]:
    """The switch a line is tried on."""
    asic = line.headers.get("asic", "cloudscale-gx2")
    release, model = line.headers.get("release", "10.5(3)"), line.headers.get("model", "N9K-C9332D-GX2B")
    context = Context(release, asic, model, frozenset(PORTS))
    tree = bare_tree(context, "corpus")
    session = ConfigSession(tree, context)
    if line.headers.get("error") != "feature-off":
        for text in [*(f"feature {name}" for name in FEATURES), *OBJECTS.strip().splitlines()]:
            session.feed(text)
    return tree, context


def feed(line: CorpusLine) -> Tree:
    """Enter the line's mode and type it. Raises LineError if it is refused, AssertionError if its mode is."""
    tree, context = switch(line)
    session = ConfigSession(tree, context)
    for mode in line.modes:
        try:
            session.feed(mode)
        except LineError as error:
            raise AssertionError(f"line {line.number}: its mode line {mode!r} is refused: {error}") from error
    session.feed(line.text)
    return tree


def label(line: CorpusLine) -> str:
    return f"{line.number}-{line.text[:40]}"


@pytest.mark.parametrize("line", read("accept.txt"), ids=label)
def test_line_of_a_real_switch_is_accepted(line: CorpusLine) -> None:
    feed(line)


@pytest.mark.parametrize("line", read("reject.txt"), ids=label)
def test_line_that_a_switch_refuses_is_refused(line: CorpusLine) -> None:
    with pytest.raises(LineError) as refused:
        feed(line)
    kinds = {
        "wrong-mode": {"invalid", "range", "incomplete", "conflict"},
        "unknown-keyword": {"invalid"},
        "out-of-range": {"range", "invalid"},
        "unknown-reference": {"reference", "invalid"},
        "wrong-asic": {"unavailable"},
        "feature-off": {"invalid"},
        "incomplete": {"incomplete"},
    }
    assert refused.value.kind in kinds[line.headers["error"]], f"{line.text!r}: {refused.value}"


def test_no_rule_of_the_grammar_is_unsourced() -> None:
    assert all(rule.source and rule.confidence for rule in nxos_grammar().rules())


def spec(**changes: object) -> DeviceSpec:
    """A leaf of the demo."""
    facts = {
        "name": "leaf-g0-r1",
        "os": "nxos",
        "release": "10.4(3)",
        "model": "N9K-C9332D-GX2B",
        "asic": "cloudscale-gx2",
        "serial": "LAB0002",
        "address": "127.77.0.12",
        "api_port": 8443,
        "ssh_port": 8022,
        "asn": 4200000002,
        "ports": PORTS,
    }
    return DeviceSpec(**{**facts, **changes})  # type: ignore[arg-type]


def test_brownfield_configuration_reads_back_as_it_was_printed() -> None:
    device = spec()
    tree = brownfield_tree(device, "gpufabric", "secret")
    text = tree.text()
    context = Context(device.release, device.asic, device.model, frozenset(PORTS))
    again = bare_tree(context, device.name)
    assert load_text(again, context, text) == []
    assert again.text() == text
    assert "secret" not in text
