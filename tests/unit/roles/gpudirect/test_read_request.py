"""The largest read request is written into Device Control, and read back."""

import pytest
from pci_read_request import apply

NIC, OTHER = "0000:19:00.0", "0000:29:00.0"


@pytest.fixture
def devices(host):
    folder = host() / "sys/bus/pci/devices"
    return [folder / NIC, folder / OTHER]


def test_a_second_run_changes_nothing_and_no_other_byte_was_touched(devices):
    before = [(each / "config").read_bytes() for each in devices]
    done, refused = apply(devices, 4096, check_only=False)
    assert (done, refused) == ([f"{each}: 4096 bytes instead of 512" for each in (NIC, OTHER)], [])
    assert apply(devices, 4096, check_only=False) == ([], [])
    for device, old in zip(devices, before, strict=True):
        differing = [place for place, byte in enumerate((device / "config").read_bytes()) if byte != old[place]]
        assert differing == [0x71]  # the upper half of Device Control


def test_a_dry_run_tells_and_writes_nothing(devices):
    before = (devices[0] / "config").read_bytes()
    assert apply(devices[:1], 4096, check_only=True)[0] == [f"{NIC}: 4096 bytes instead of 512"]
    assert (devices[0] / "config").read_bytes() == before


def test_a_space_that_cannot_be_read_or_is_not_there_is_refused_and_the_others_are_set(devices):
    config = devices[0] / "config"
    config.write_bytes(config.read_bytes()[:64])
    done, refused = apply([*devices, devices[0].parent / "0000:ff:00.0"], 4096, check_only=False)
    assert done == [f"{OTHER}: 4096 bytes instead of 512"]
    assert [each.partition(" bytes refused")[0] for each in refused] == [f"{NIC}: 4096", "0000:ff:00.0: 4096"]
