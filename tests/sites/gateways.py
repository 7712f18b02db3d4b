"""The site of the boundary with gateways that are machines of their own."""

import tempfile
from pathlib import Path

from nornir_tasks.files.intent_file import load_intent
from nornir_tasks.intent.keys.site import Intent

SITE = Path(__file__).with_name("boundary") / "fabric.yml"
GATEWAYS = """\
  gateways:
    inside: fw
    port: wan
    link: 203.0.113.8/29
    link_v6: "2001:db8:103::/64"
    gateway: [203.0.113.12, "2001:db8:103::4"]
    management: {port: mgmt, clients: [10.183.0.0/16]}
    sync: {port: sync, link: 10.191.0.4/30}
"""


def with_gateways() -> Intent:
    """Its file, with that part more."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fabric.yml"
        file.write_text(SITE.read_text(encoding="utf-8").rstrip("\n") + "\n" + GATEWAYS, encoding="utf-8")
        return load_intent(file)
