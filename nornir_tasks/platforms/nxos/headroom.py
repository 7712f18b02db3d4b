"""Headroom of Cisco's Cloud Scale ASICs: their own up to 100 m; no figures for longer cables are published.

Nexus 9000 QoS Configuration Guide 10.5(x), Configuring Priority Flow Control: "pause buffer size threshold" is optional
for cables of less than 100 m and mandatory beyond. Which bytes it takes, no page at hand says by ASIC, speed and
length; the published policies (27456 bytes on a 93180YC-EX, 101920 in a reference for Azure Stack HCI) name no length.
"""

from nornir_tasks.design.model.headroom import CableFacts

CLOUD_SCALE = CableFacts(
    own_m=100,
    own_source="QoS guide 10.5(x), Configuring Priority Flow Control: pause buffers are optional below 100 m",
    gap="beyond 100 m NX-OS needs pause buffer-size and thresholds, and no source has their bytes for this ASIC",
)
