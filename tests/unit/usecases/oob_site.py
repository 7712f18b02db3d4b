"""The lab's intent, which has an out-of-band plane, for real switches; each test says itself what base manages."""

from pathlib import Path

from ruamel.yaml import YAML

from nornir_tasks.files.resources import resource

NAMES, LOG, TIME, LOGINS = "10.183.0.5", "10.183.0.6", "10.183.0.69", "10.183.0.70"
"""Servers on that plane, two below each access switch, which switches may ask (``with_servers``)."""

ACCOUNTS = """\
  accounts: {gpufabric: {role: admin, hash: {eos: !secret push-512, nxos: !secret push-256, nvue: !secret push-512}}}
"""
"""Of a base: the account that pushes."""


def with_servers(intent: str) -> str:
    """The lab's intent with these servers, who may enter the out-of-band plane, and the flow that leads to them."""
    flow = "      - {source: switches, destination: servers, services: [ntp, syslog, dns, tacacs]}\n"
    for before, after in (
        ("pdu: {count: 2, max: 4}}", "pdu: {count: 2, max: 4}, servers: {count: 4}}"),
        ("entry: [bastion]", "entry: [bastion, servers]"),
        ("syslog: {udp: 514}}", "syslog: {udp: 514}, dns: {udp: 53}, tacacs: {tcp: 49}}"),
        (
            "      - {source: switches, destination: bastion,",
            f"{flow}      - {{source: switches, destination: bastion,",
        ),
    ):
        assert intent.count(before) == 1, before
        intent = intent.replace(before, after)
    return intent


def write_oob_intent(file: Path, *, more: str = "") -> None:
    """Write it, with further keys."""
    editor = YAML()
    editor.preserve_quotes = True
    lab = editor.load(with_servers((resource("inventory") / "lab" / "fabric.yml").read_text()))
    lab.pop("base", None)
    for fabric in lab["fabrics"].values():
        fabric.pop("base", None)
    lab["management"]["source"] = "devices"
    with file.open("w", encoding="utf-8") as stream:
        editor.dump(lab, stream)
        stream.write(more)
