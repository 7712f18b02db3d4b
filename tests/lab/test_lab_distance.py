"""A lab at a distance: without it, a client that asks too often or connects anew each time looks as good as any."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
import requests
from described_lab import LabDescription, RunningLab

RTT_S = 0.1
PATHS = {"eos": "/command-api", "nxos": "/ins", "nvue": "/nvue_v1/"}


@pytest.mark.parametrize("os_name", PATHS)
def test_a_request_waits_one_round_trip_and_a_new_connection_two_more(
    lab_description: LabDescription, start_lab: Callable[[LabDescription], RunningLab], os_name: str
) -> None:
    lab_description.rtt_ms = RTT_S * 1000
    lab_description.add_device("far-away", os_name)
    lab = start_lab(lab_description)
    waited_s = []
    with requests.Session() as client:
        client.trust_env, client.verify = False, lab.ca
        for _ in range(2):
            started = time.monotonic()
            answer = client.post(lab.url("far-away") + PATHS[os_name], json={}, timeout=20)
            waited_s.append(time.monotonic() - started)
            assert answer.status_code == 401
    assert waited_s[0] >= 3 * RTT_S and waited_s[1] >= RTT_S, waited_s
    assert lab.control.ask("requests")["far-away"] == {"connections": 1, "requests": 2}
