"""The secrets that a site names, with their values, for the drivers alone."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from nornir_tasks.design.contribute.managed_aaa import kinds
from nornir_tasks.design.contribute.managed_snmp import engine_of, place_of, secret_of
from nornir_tasks.design.model.claims import BASE
from nornir_tasks.design.model.network import Device
from nornir_tasks.drivers.vault import NO_SECRETS, Vault
from nornir_tasks.errors import GpufabricError, IntentError, Problem
from nornir_tasks.files.resources import shown
from nornir_tasks.files.secrets import kept_secrets, resolve_secret
from nornir_tasks.files.sent_secrets import SentSecrets
from nornir_tasks.files.site import INTENT
from nornir_tasks.intent.core.findings import Path, dotted
from nornir_tasks.intent.core.secret_name import Secret
from nornir_tasks.intent.keys.account import secret_on
from nornir_tasks.intent.keys.snmp import SnmpIntent
from nornir_tasks.usecases.site import BOUNDARY, SiteDesign


def vault_of(design: SiteDesign, planes: Sequence[str]) -> Vault:
    """The values of secrets that fabrics' sessions name, and base configuration and upstreams', if among the planes.

    No planes: all.

    Raises IntentError naming every secret that has no value.
    """
    has_base = bool(design.network.base) and (not planes or BASE in planes)
    has_edge = design.network.edge is not None and (not planes or BOUNDARY in planes)
    sessions = (*(_of_upstreams(design) if has_edge else ()), *_of_fabrics(design))
    names = {**(dict(secrets_of(design)) if has_base else {}), **dict(sessions)}
    if not has_base and not names:
        return NO_SECRETS
    values, problems = {}, list[Problem]()
    for name, path in names.items():
        try:
            values[name] = _value(design, name, path)
        except GpufabricError as error:
            problems += error.problems
    problems += _not_hashes(design, values)
    problems += _not_passwords(design, values) if has_edge else ()
    problems += _not_of_fabrics(design, values)
    if problems:
        raise IntentError(problems)
    if not names:
        return NO_SECRETS
    sent = SentSecrets(design.site.record_directory)
    return Vault(values, lambda name: _value(design, name, ("base",)), sent, _others(design))


def _others(design: SiteDesign) -> dict[str, str]:
    """Secrets that the site has and base configuration does not name now: an earlier intent did, and a rollback may."""
    devices = design.site.devices
    others = kept_secrets(design.site.directory)
    return {name: value for name, value in others.items() if devices is None or name != devices.password.name}


@dataclass(frozen=True, slots=True)
class _Use:
    """What a secret is used for on one system."""

    name: str
    path: Path
    what: str
    pattern: str
    expected: str
    hint: str


def _not_hashes(design: SiteDesign, values: Mapping[str, str]) -> Iterator[Problem]:
    """Secrets that are no hash or key of the kind that a system of theirs takes; their values are not repeated."""
    uses = dict.fromkeys(use for device in design.network.devices for use in _uses(design, device))
    for use in uses:
        value = values.get(use.name)
        if value is None or re.fullmatch(use.pattern, value):
            continue
        yield _unfit(design, use)


def _unfit(design: SiteDesign, use: _Use) -> Problem:
    return Problem(
        where=_where(design, use.path),
        what=f"{dotted(use.path)}: the value of the secret '{use.name}' is no {use.what}",
        expected=use.expected,
        found="a text of another kind, which is not repeated",
        hint=use.hint,
    )


def _of_upstreams(design: SiteDesign) -> Iterator[tuple[str, Path]]:
    """Name -> a place of the intent that names it, of all sessions with upstreams."""
    boundary = design.site.intent.boundary
    for name, upstream in boundary.upstreams.items() if boundary is not None else ():
        at: Path = ("boundary", "upstreams", name)
        if upstream.md5 is not None:
            yield upstream.md5.name, (*at, "md5")
        if upstream.ao is not None:
            yield upstream.ao.key.name, (*at, "ao", "key")


def _of_fabrics(design: SiteDesign) -> Iterator[tuple[str, Path]]:
    """The same of sessions between switches."""
    for name, fabric in design.site.intent.fabrics.items():
        if fabric.routing.password is not None:
            yield fabric.routing.password.name, ("fabrics", name, "routing", "password")


def _not_of_fabrics(design: SiteDesign, values: Mapping[str, str]) -> Iterator[Problem]:
    """Secrets of sessions between switches that are none which each of these takes."""
    systems = dict.fromkeys((each.fabric, each.os, each.capabilities.guards.md5) for each in design.network.devices)
    for name, path in _of_fabrics(design):
        for fabric, os, facts in systems:
            if fabric == path[1] and facts is not None and not re.fullmatch(facts.pattern, values.get(name, "unread")):
                what = f"password of BGP sessions of {os}"
                yield _unfit(design, _Use(name, path, what, facts.pattern, facts.words, "write another to the secret"))


def _not_passwords(design: SiteDesign, values: Mapping[str, str]) -> Iterator[Problem]:
    """Secrets of sessions with upstreams that are none that their routers take."""
    edge = design.network.edge
    device = next((each for each in design.network.devices if edge is not None and each.fabric == edge.fabric), None)
    if device is None:
        return
    guards, os = device.capabilities.guards, device.os
    for name, path in _of_upstreams(design):
        is_ao, facts = path[-1] == "key", guards.md5
        if is_ao:
            facts = guards.ao.key if guards.ao is not None else None
        what = f"key of TCP-AO of {os}" if is_ao else f"password of BGP sessions of {os}"
        if facts is not None and name in values and not re.fullmatch(facts.pattern, values[name]):
            use = _Use(name, path, what, facts.pattern, facts.words, "write another to the secret")
            yield _unfit(design, use)


def _uses(design: SiteDesign, device: Device) -> Iterator[_Use]:
    base, facts = design.network.base.get(device.fabric), device.capabilities.account_facts
    is_own = design.site.intent.has_own_base(device.fabric)
    path: Path = ("fabrics", device.fabric, "base") if is_own else ("base",)
    hint = "write another to the secret; systems with different kinds get a secret each, as {SYSTEM: !secret NAME}"
    for account, each in ((base and base.accounts) or {}).items():
        if name := secret_on(device.os, each.hash):
            at, what = (*path, "accounts", account, "hash"), f"hash of passwords of {device.os}"
            yield _Use(name, at, what, facts.hash_pattern, facts.hash_words, hint)
    yield from _snmp_uses(design, device)
    for kind, servers in kinds(base):
        if name := secret_on(device.os, servers.key):
            at = (*path, "aaa", kind, "key")
            yield _Use(name, at, f"key of servers of {device.os}", facts.key_pattern, facts.key_words, hint)


def _snmp_uses(design: SiteDesign, device: Device) -> Iterator[_Use]:
    """Keys of SNMP users, which each switch has its own of."""
    base, facts = design.network.base.get(device.fabric), device.capabilities.snmp
    if base is None or base.snmp is None or facts is None:
        return
    engine = f" (engine {engine_of(facts.engine_prefix, device.name)})" if facts.engine_prefix else ""
    hint = f"write the key as {device.name}{engine} has it to the secret: RFC 3414, A.2, says how it is localized"
    for name, user in base.snmp.users.items():
        kinds = (
            ("auth_key", user.auth_key, facts.auth_key(user.auth, base.snmp.keys), f"localized {user.auth} key"),
            ("privacy_key", user.privacy_key, facts.privacy_key(base.snmp.keys), "localized key of AES-128"),
        )
        for key, secret, form, what in kinds:
            at = (*place_of(design.site.intent, device.fabric), "users", name, key)
            name_here = secret_of(secret.name, device.name)
            yield _Use(name_here, at, f"{what} of {device.os}", form.pattern, form.words, hint)


def secrets_of(design: SiteDesign) -> Iterator[tuple[str, Path]]:
    """Name -> a place of the intent that names it, of all base configuration."""
    intent = design.site.intent
    yield from _below(intent.base, ("base",))
    for name, fabric in intent.fabrics.items():
        yield from _below(fabric.base, ("fabrics", name, "base"))
    for device in design.network.devices:
        yield from ((each.name, each.path) for each in _snmp_uses(design, device))


def _below(value: object, path: Path) -> Iterator[tuple[str, Path]]:
    if isinstance(value, Secret):
        yield value.name, path
    elif isinstance(value, BaseModel) and not isinstance(value, SnmpIntent):  # whose names each switch ends for itself
        for name in type(value).model_fields:
            yield from _below(getattr(value, name), (*path, name))
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _below(each, (*path, key))


def _value(design: SiteDesign, name: str, path: Path) -> str:
    return resolve_secret(Secret(name), design.site.directory, _where(design, path))


def _where(design: SiteDesign, path: Path) -> str:
    marks = design.site.intent.marks
    return f"{marks.file}:{marks.line(path)}" if marks.file else shown(design.site.directory / INTENT)
