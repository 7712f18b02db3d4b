"""EOS at first boot: Zero Touch Provisioning (docs/day0.md)."""

from nornir_tasks.platforms.first_boot import Dhcp, FirstBootFacts

FIRST_BOOT = FirstBootFacts(
    "eos.sh.j2",
    "eos.startup-config.j2",
    ".sh",
    ".startup-config",
    "6",
    "X-Arista-Serial",
    Dhcp(67, vendor_class="Arista"),
)
