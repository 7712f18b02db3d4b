"""The secrets that a site names, with their values, for the drivers alone."""

from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel

from nornir_tasks.design.claims import BASE
from nornir_tasks.drivers.vault import NO_SECRETS, Vault
from nornir_tasks.errors import GpufabricError, IntentError, Problem
from nornir_tasks.files.resources import shown
from nornir_tasks.files.secrets import resolve_secret
from nornir_tasks.files.sent_secrets import SentSecrets
from nornir_tasks.files.site import INTENT
from nornir_tasks.intent.findings import Path
from nornir_tasks.intent.secret_name import Secret
from nornir_tasks.usecases.site import SiteDesign


def vault_of(design: SiteDesign, planes: Sequence[str]) -> Vault:
    """The values of all secrets that base configuration names, if base is among the planes (empty: all).

    Raises IntentError naming every secret that has no value.
    """
    if not design.network.base or (planes and BASE not in planes):
        return NO_SECRETS
    names = dict(secrets_of(design))
    values, problems = {}, list[Problem]()
    for name, path in names.items():
        try:
            values[name] = _value(design, name, path)
        except GpufabricError as error:
            problems += error.problems
    if problems:
        raise IntentError(problems)
    if not names:
        return NO_SECRETS
    sent = SentSecrets(design.site.state_directory)
    return Vault(values, lambda name: _value(design, name, ("base",)), sent)


def secrets_of(design: SiteDesign) -> Iterator[tuple[str, Path]]:
    """Name -> a place of the intent that names it, of all base configuration."""
    intent = design.site.intent
    yield from _below(intent.base, ("base",))
    for name, fabric in intent.fabrics.items():
        yield from _below(fabric.base, ("fabrics", name, "base"))


def _below(value: object, path: Path) -> Iterator[tuple[str, Path]]:
    if isinstance(value, Secret):
        yield value.name, path
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _below(getattr(value, name), (*path, name))
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _below(each, (*path, key))


def _value(design: SiteDesign, name: str, path: Path) -> str:
    marks = design.site.intent.marks
    where = f"{marks.file}:{marks.line(path)}" if marks.file else shown(design.site.directory / INTENT)
    return resolve_secret(Secret(name), design.site.directory, where)
