"""Who answers, as ``show version`` has it on NX-OS."""

from nornir_tasks.drivers.nxos import facts


def test_facts_from_show_version() -> None:
    version = {
        "host_name": "leaf-g0-r1",
        "nxos_ver_str": "10.4(3)",
        "chassis_id": "Nexus9000 C9332D-GX2B Chassis",
        "proc_board_id": "LAB0002",
    }
    found = facts(version)
    assert (found.hostname, found.release, found.model, found.serial) == (
        "leaf-g0-r1",
        "10.4(3)",
        "N9K-C9332D-GX2B",
        "LAB0002",
    )
