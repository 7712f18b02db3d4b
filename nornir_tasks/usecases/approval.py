"""Who has approved a file, and whether that is enough: what ``policy.approval`` of the intent asks for."""

from dataclasses import dataclass
from pathlib import Path

from nornir_tasks.errors import GpufabricError, IntentError, Problem, RefusedError
from nornir_tasks.files.resources import shown
from nornir_tasks.files.signatures import Signed, people, sign, signed
from nornir_tasks.files.site import INTENT
from nornir_tasks.intent.core.findings import Path as Place
from nornir_tasks.intent.keys.policy import ApprovalIntent
from nornir_tasks.usecases.site import SiteDesign

_POLICY: Place = ("policy", "approval")
_WAY = (
    "nornir plan --out plan.json; then nornir approve plan.json (each who approves); then nornir push --plan plan.json"
)


@dataclass(frozen=True, slots=True)
class Approvals:
    """The approvals of one file."""

    at_least: int
    """So many are needed; 0: the site asks for none."""
    signed: Signed

    @property
    def missing(self) -> int:
        """How many more are needed."""
        return max(0, self.at_least - len(self.signed.by))

    def problems(self, file: Path) -> tuple[Problem, ...]:
        """Why it may not be pushed; empty: it may."""
        if not self.missing:
            return self.signed.problems
        by = ", ".join(self.signed.by) or "no one"
        hint = f"nornir approve {file}"
        lack = Problem(str(file), "this plan is not approved", f"{self.at_least} who approve", f"signed by {by}", hint)
        return (*self.signed.problems, lack)


def require_no_approval(design: SiteDesign) -> None:
    """RefusedError where the site has pushes approved first: without a plan nothing is approved."""
    if design.site.intent.policy.approval is not None:
        what = "this site has pushes approved: nothing is pushed but a plan that was signed"
        raise RefusedError(Problem(_place(design, ()), what, expected="nornir push --plan FILE", hint=_WAY))


def approvals(design: SiteDesign, file: Path, content: bytes) -> Approvals:
    """Judge the signatures beside a file. Raises IntentError for a policy that cannot be met."""
    approval = design.site.intent.policy.approval
    if approval is None:
        return Approvals(0, Signed())
    return Approvals(approval.at_least, signed(file, content, _signers(design, approval)))


def approve(design: SiteDesign, file: Path, content: bytes, key: Path) -> tuple[str, Path]:
    """Sign a file that was shown: by whom, and where the signature stands. RefusedError for a key of no signer."""
    approval = design.site.intent.policy.approval
    if approval is None:
        hint = "with policy.approval in the intent pushes need a signed plan; without it push the plan as it is"
        raise RefusedError(Problem(_place(design, ()), "this site asks for no approval", hint=hint))
    return sign(file, content, key, _signers(design, approval))


def check_policy(design: SiteDesign) -> None:
    """Raises IntentError where no plan could ever be approved: no signers, or too few."""
    if design.site.intent.policy.approval is not None:
        _signers(design, design.site.intent.policy.approval)


def _signers(design: SiteDesign, approval: ApprovalIntent) -> Path:
    file = design.site.directory / approval.signers
    try:
        known = people(file)
    except GpufabricError as error:
        place = _place(design, ("signers",))
        raise IntentError(
            Problem(place, f"policy.approval.signers: {each.where} {each.what}", hint=each.hint)
            for each in error.problems
        ) from error
    if known is not None and len(known) < approval.at_least:
        what = f"policy.approval.at_least: {shown(file)} does not list so many"
        found = f"{len(known)}: {', '.join(sorted(known))}"
        hint = "give each person a line with a name of their own; a second key of a person is no second person"
        raise IntentError(Problem(_place(design, ("at_least",)), what, str(approval.at_least), found, hint))
    return file


def _place(design: SiteDesign, below: Place) -> str:
    marks = design.site.intent.marks
    return f"{marks.file}:{marks.line((*_POLICY, *below))}" if marks.file else shown(design.site.directory / INTENT)
