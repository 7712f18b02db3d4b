"""Applies the RoCE policy to the rails of a host: reads, judges, sets differences, reads them back, and reports.

Standard library only (it runs on hosts, Python 3.9). Three ways:

- ``judge`` (the role's refusals) reads only;
- ``apply`` (the role) reads all rails first, and sets nothing on any of them if one lacks a required knob or has one
  that cannot be read. At the first set that does not take it stops, and names what was done and what was not tried;
- ``restore`` (the service gpufabric-roce-qos, at boot and after a link flap) judges rail by rail: the role was through
  before, so each knob that can be set is set, and what cannot is named. It does not even query the firmware.

None of them writes to the firmware: that is nic_firmware.py's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

try:
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_host import RDMA_CM, Host, locked
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_policy import Policy
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_rail import Rail, complaint
    from ansible_collections.gpufabric.host.plugins.module_utils.roce_report import Change, Failure, Report
except ImportError:  # installed beside the service
    from roce_host import RDMA_CM, Host, locked
    from roce_policy import Policy
    from roce_rail import Rail, complaint
    from roce_report import Change, Failure, Report


def judge(
    policy: Policy,
    host: Host,
    *,
    early: bool = False,
    names_now: Mapping[str, str] = MappingProxyType({}),
    to_be_named: Collection[str] | None = None,
) -> Report:
    """The obstacles on all rails, found by reading only; failures and absences, no change to be made.

    ``early``: a rail without interface or RDMA device, and a tool that is not installed, are what another role brings.
    ``names_now``: the interface of a rail that does not have its name yet. ``to_be_named``: the names that
    rail_interfaces will give, if that is known: an interface of another name has no maker.
    """
    report = Report()
    there = {rail: host.at(f"/sys/class/net/{rail}").exists() for rail in policy.rails}
    rails = tuple(rail if there[rail] else names_now.get(rail, rail) for rail in policy.rails)
    now = dict(zip(policy.rails, rails))  # noqa: B905 - Python 3.9
    policy = replace(policy, rails=rails, reorder_rails=tuple(now[rail] for rail in policy.reorder_rails))
    for name in policy.rails:
        rail = Rail(name, policy, host, report, early=early)
        rail.to_be_named = to_be_named
        rail.look()
    return report


def apply(policy: Policy, host: Host, *, check: bool = False, to_be_named: Collection[str] | None = None) -> Report:
    """Apply the policy to all rails in turn, up to the first failure.

    With ``check`` nothing is changed; the report has the changes to be made, those by other roles included.
    """
    report = Report()
    if check:
        _bring(policy, host, report, check=True, to_be_named=to_be_named)
    else:
        with locked(host):
            _bring(policy, host, report, check=False)
    return report


def restore(policy: Policy, host: Host, *, check: bool = False) -> Report:
    """Set on each rail what can be set; a rail that cannot be set is a failure, and keeps no other from it."""
    report = Report()
    if check:
        _restore(policy, host, report, check=True)
    else:
        with locked(host):
            _restore(policy, host, report, check=False)
    return report


def _bring(
    policy: Policy, host: Host, report: Report, *, check: bool, to_be_named: Collection[str] | None = None
) -> None:
    rails = [Rail(name, policy, host, report, check=check, early=check) for name in policy.rails]
    for rail in rails:
        rail.to_be_named = to_be_named
        rail.look()
    if report.failures and not check:
        return
    _load_rdma_cm(host, report, check=check)
    for rail in rails:
        if report.failures and not check:
            report.not_tried.extend(rail.untried())
        else:
            rail.bring()


def _restore(policy: Policy, host: Host, report: Report, *, check: bool) -> None:
    _load_rdma_cm(host, report, check=check)
    for name in policy.rails:
        rail = Rail(name, policy, host, report, check=check, with_firmware=False)
        try:
            rail.look()
            rail.bring(go_on=True)
        except OSError as error:  # a NIC that goes while it is read
            why = f"{error.filename}: {error.strerror}"
            report.failures.append(Failure(name, "interface", "could not tell", "one", why))


def _load_rdma_cm(host: Host, report: Report, *, check: bool) -> None:
    """Load the module: without it there is no configfs folder and no default ToS for RDMA-CM."""
    if host.at(RDMA_CM).is_dir():
        return
    command = ("modprobe", "rdma_cm")
    change = Change("host", "rdma_cm_module", "not loaded", "loaded", " ".join(command))
    words = "" if check else complaint(host.run(command))
    if check or host.at(RDMA_CM).is_dir():
        report.changes.append(change)
        return
    why = f"{change.by}: {words or 'exit code 0'}; is configfs mounted on /sys/kernel/config?"
    report.failures.append(Failure("host", change.knob, change.found, change.wanted, why))
