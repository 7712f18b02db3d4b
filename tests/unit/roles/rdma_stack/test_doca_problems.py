"""What keeps NVIDIA's DOCA-OFED from being installed is said before the first change: variable, value, remedy."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).parents[4] / "plugins/filter/doca_problems.py"
spec = importlib.util.spec_from_file_location("doca_problems", FILE)
assert spec is not None
assert spec.loader is not None
filters = importlib.util.module_from_spec(spec)
spec.loader.exec_module(filters)

FINGERPRINT = "B19EB84BB80DF13708D32AE7A297AC715CA35850"
OLD, NEW = "6.1.0-30-amd64", "6.1.0-31-amd64"
WANTED = {
    "provider": "mlx5",
    "url": "https://mirror.example.net/doca/2.9.3/debian12.5/x86_64/",
    "fingerprint": FINGERPRINT,
    "version": "2.9.3",
    "any_branch": False,
    "may_remove": [],
    "restart": False,
    "reboot_allowed": True,
}
PLAN = {
    "kind": "",
    "error": "",
    "fingerprints": [FINGERPRINT],
    "versions": ["2.9.3-0.1.7"],
    "install": {"doca-ofed": "2.9.3-0.1.7", "mlnx-ofed-kernel-dkms": "24.10.OFED.24.10.3.2.5.1-1"},
    "remove": ["libibmad5"],
    "unavailable": [],
}
HOST = {
    "by_distribution": [],
    "kernels": {"running": OLD, "next": NEW},
    "headers": {OLD: "present", NEW: "installable"},
    "secure_boot": False,
    "signing": {"certificate": "", "enrolled": None, "answer": "there is none yet"},
    "unbuilt": [],
    "holders": {},
    "rides": [],
    "firmware_at_boot": False,
    "installed": "",
    "phase": "",
    "needed": True,
    "plan": PLAN,
}
DEBIAN = {"id": "debian", "version_id": "12"}


def problems(host: dict[str, Any] | None = None, plan: dict[str, Any] | None = None, **wanted: Any) -> list[str]:
    facts = {**HOST, **(host or {}), "plan": {**PLAN, **(plan or {})}}
    found: list[str] = filters.doca_problems({**WANTED, **wanted}, facts)
    return found


def test_a_host_that_has_all_it_needs_is_not_refused() -> None:
    assert problems() == []
    assert filters.doca_settings_problems(WANTED, DEBIAN) == []


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"url": ""}, "rdma_stack_doca_url: (empty) is no URL; name NVIDIA's repository"),
        ({"url": "ftp://mirror"}, "rdma_stack_doca_url: ftp://mirror is no URL"),
        ({"fingerprint": "A9E4B643"}, "rdma_stack_doca_key_fingerprint: A9E4B643 is not 40 hexadecimal digits"),
        ({"version": "latest"}, "rdma_stack_doca_version: latest is no version of DOCA"),
        ({"version": "1.5.4"}, "rdma_stack_doca_version: 1.5.4: branch 1.5 is not known for debian12; known are 2.9"),
        ({"version": "3.2.1"}, "branch 3.2 is not known for debian12"),
        ({"provider": "rxe"}, "rdma_stack_source: doca is for ConnectX and BlueField"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused_by_name(wanted: dict[str, str], says: str) -> None:
    (found,) = filters.doca_settings_problems({**WANTED, **wanted}, DEBIAN)
    assert says in found


def test_a_branch_nobody_knew_is_taken_if_the_site_says_so() -> None:
    assert filters.doca_settings_problems({**WANTED, "version": "4.0.0", "any_branch": True}, DEBIAN) == []


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (
            {"kind": "unreachable", "error": "Connection refused"},
            "cannot be reached from this host: Connection refused",
        ),
        ({"kind": "key", "error": "https://x is no key"}, "rdma_stack_doca_key_url: https://x is no key"),
        ({"kind": "fingerprint", "fingerprints": ["AB" * 20]}, f"but the mirror's key is {'AB' * 20}"),
        ({"kind": "unsigned", "error": "NO_PUBKEY 42"}, f"is not signed by the key {FINGERPRINT}: NO_PUBKEY 42"),
        ({"kind": "version", "versions": ["2.9.1-0.1"]}, "debian12.5/x86_64/, which has 2.9.1-0.1"),
        ({"kind": "packages", "error": "gcc is missing"}, "2.9.3 cannot be installed here: gcc is missing"),
        (
            {"kind": "packages", "error": "x: Depends: mlnx-fw-updater"},
            "mlnx-fw-updater writes NIC firmware and is never",
        ),
        ({"install": {"mlnx-fw-updater": "24.10"}}, "would install mlnx-fw-updater, which writes NIC firmware"),
        (
            {"install": {"mlnx-ofed-kernel-dkms": "25.01.OFED"}},
            "mlnx-ofed-kernel-dkms 25.01.OFED in this mirror, not 24.10",
        ),
        ({"remove": ["lustre-client-modules"]}, "would remove lustre-client-modules"),
        ({"unavailable": ["rdma-core=2404mlnx51"]}, "rdma-core=2404mlnx51, which no source of this host has"),
    ],
)
def test_what_the_mirror_cannot_give_is_refused_with_the_variable_that_names_it(
    plan: dict[str, Any], says: str
) -> None:
    (found,) = problems(plan=plan)
    assert says in found
    assert found.startswith("rdma_stack_doca_")


@pytest.mark.parametrize(
    ("host", "says"),
    [
        ({"headers": {OLD: "present", NEW: "missing"}}, f"{NEW} (the next boot), whose headers are not here"),
        ({"headers": {OLD: "missing", NEW: "present"}}, f"{OLD} (the running one), whose headers are not here"),
        ({"secure_boot": True}, "DKMS's certificate (none): there is none yet. Enrol one (mokutil --import"),
        ({"firmware_at_boot": True}, "RUN_FW_UPDATER_ONBOOT=yes writes NIC firmware at every boot"),
        ({"holders": {"mmfslinux": {"dkms": "", "package": ""}}}, "which mmfslinux holds; DKMS does not build"),
        ({"holders": {"nvme_rdma": {"dkms": "", "package": "mlnx-nvme-dkms"}}}, "(mlnx-nvme-dkms of the set would)"),
        ({"by_distribution": ["doca-ofed-generic 7.0"]}, "doca-ofed-generic 7.0 is the distribution's own package"),
        ({"phase": "switched", "installed": "2.9.1"}, "the exchange for 2.9.1 is not finished"),
    ],
)  # fmt: skip
def test_what_the_host_lacks_is_refused_with_its_remedy(host: dict[str, Any], says: str) -> None:
    (found,) = problems(host)
    assert says in found


def test_a_key_that_the_firmware_knows_is_enough_under_secure_boot() -> None:
    assert problems({"secure_boot": True, "signing": {**HOST["signing"], "enrolled": True}}) == []  # type: ignore[dict-item]


def test_a_module_that_holds_ib_core_is_no_problem_where_it_is_built_again() -> None:
    by_dkms = {"nvidia_peermem": {"dkms": "nvidia/535.183.06", "package": ""}}
    by_set = {"nvme_rdma": {"dkms": "", "package": "mlnx-nvme-dkms"}}
    assert (
        problems({"holders": {**by_dkms, **by_set}}, {"install": {**PLAN["install"], "mlnx-nvme-dkms": "24.10"}}) == []
    )  # type: ignore[dict-item]


def test_a_host_that_may_not_be_rebooted_is_refused_unless_nothing_rides_on_its_nics() -> None:
    (found,) = problems(reboot_allowed=False)
    assert "gpufabric_reboot_allowed: false" in found
    assert "or set rdma_stack_doca_restart: true" in found
    assert problems(reboot_allowed=False, restart=True) == []
    (found,) = problems({"rides": ["the default route is on ens1"]}, reboot_allowed=False, restart=True)
    assert "openibd cannot be restarted: the default route is on ens1. Allow the reboot" in found


def test_a_host_with_the_wanted_version_asks_nothing_of_the_mirror() -> None:
    done = {"needed": False, "headers": dict.fromkeys(HOST["headers"], "missing")}  # type: ignore[call-overload]
    assert filters.doca_problems({**WANTED, "reboot_allowed": False}, {**HOST, **done, "plan": {}}) == []
