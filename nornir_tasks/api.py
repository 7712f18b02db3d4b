"""What programs may import: load a site, design, render, plan and validate it. docs/python-api.md shows it in use.

The names in ``__all__`` keep their meaning, as the keys of JSON documents do (docs/json.md): parameters and fields are
only added. Nothing here prints, asks or changes a switch. What fails raises a :class:`GpufabricError` with every
problem; what is found wrong in a network is a result, and raises nothing.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from nornir_tasks.checks.evidence import Finding, Verdict
from nornir_tasks.checks.suite import Report
from nornir_tasks.deploy.summary import PlanSummary
from nornir_tasks.design.model.network import Device, Network
from nornir_tasks.errors import GpufabricError, Problem
from nornir_tasks.usecases import push as _push
from nornir_tasks.usecases import render as _render
from nornir_tasks.usecases import site as _site
from nornir_tasks.usecases import validate as _validate
from nornir_tasks.usecases.push import PlanReport
from nornir_tasks.usecases.reach import Reach
from nornir_tasks.usecases.render import Rendered
from nornir_tasks.usecases.site import Selection

__all__ = [
    "Device",
    "Finding",
    "GpufabricError",
    "Network",
    "PlanReport",
    "PlanSummary",
    "Problem",
    "Reach",
    "Rendered",
    "Report",
    "Selection",
    "Verdict",
    "design",
    "load",
    "plan",
    "render",
    "validate",
]

_AS_DECLARED = Reach()


def load(site: str | Path, *, planes: Sequence[str] = (), limit: Sequence[str] = ()) -> Selection:
    """Read and design a site, and choose switches of it.

    ``site``: a folder, or a name as ``--site`` takes it. ``planes``, ``limit``: as ``--plane`` and ``--limit``; empty
    means all. Raises IntentError or DesignError with every problem of its files.
    """
    return _site.select(_site.load(site), planes, limit)


def design(selection: Selection) -> Network:
    """The site's whole network: switches, links, addresses. No switch is asked."""
    return selection.design.network


def render(selection: Selection) -> Iterator[Rendered]:
    """The configuration of each chosen switch, made when it is asked for. Raises RenderError, RefusedError."""
    return _render.render(selection)


def plan(selection: Selection, reach: Reach = _AS_DECLARED) -> PlanReport:
    """Read the chosen switches: what would a push change? Raises DeviceError for one that cannot be read."""
    return _push.plan(selection, reach)


def validate(selection: Selection, reach: Reach = _AS_DECLARED, *, checks: Sequence[str] = ()) -> Report:
    """Read the chosen switches and judge them. A switch that does not answer is a finding that could not be told.

    ``checks``: of these alone, as ``--only``. Raises IntentError for a name of no check.
    """
    chosen = _validate.checks_named(checks)
    return _validate.judge(selection, _validate.collect(selection, reach, checks=chosen), chosen)
