"""Accounts, and whether the switch is reachable: both follow from the running tree.

Accounts, roles: Cumulus Linux docs, User-Accounts.md; tokens and the default password's 403: NVUE-API.md.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass
from ipaddress import IPv4Address

import bcrypt

from .. import sha512_crypt
from ..admission import covers
from ..clock import Clock
from ..spec import DeviceSpec
from .dialect import Dialect
from .tree import Tree, get_or

DEFAULT_PASSWORD = "cumulus"  # noqa: S105  (the default of every switch; grants no access)
_DEFAULT_TOKEN_MINUTES = 60


class DeniedError(Exception):
    """A refused request: 401 for wrong credentials, 403 for missing permission."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


@dataclass(frozen=True, slots=True)
class _Token:
    user: str
    until_s: float
    account: object


class Access:
    """Checks credentials against the accounts in the running tree."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._tokens: dict[str, _Token] = {}
        self._verified: set[tuple[str, bytes]] = set()
        self._key = secrets.token_bytes(32)

    def user(self, header: str | None, running: Tree, *, is_write: bool) -> str:
        """The account of a request's Authorization header. Raises DeniedError."""
        scheme, _, value = (header or "").partition(" ")
        if scheme == "Basic":
            name, password = _basic(value)
            self._check_password(name, password, running)
        elif scheme == "Bearer":
            name = self._check_token(value, running)
        else:
            raise DeniedError(401, "Unauthorized")
        if is_write and get_or(running, "", "system", "aaa", "user", name, "role") == "nvue-monitor":
            raise DeniedError(403, "Forbidden")
        return name

    def token(self, name: str, running: Tree) -> str:
        """A new token for an account. Raises DeniedError if the expiry is 0: no token is issued."""
        minutes = get_or(running, _DEFAULT_TOKEN_MINUTES, "system", "api", "token-expiration")
        if minutes == 0:
            raise DeniedError(403, "Token based authentication is disabled.")
        now_s = self._clock.now_s()
        claims = {
            "iss": "NVUE",
            "sub": name,
            "aud": "NVUE-API-CLIENT",
            "exp": now_s + 60 * minutes,
            "iat": now_s,
            "jti": secrets.token_hex(8),
        }
        body = ".".join(_b64(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
        text = f"{body}.{_b64(hmac.digest(self._key, body.encode(), hashlib.sha256))}"
        self._tokens[text] = _Token(name, now_s + 60 * minutes, get_or(running, None, "system", "aaa", "user"))
        return text

    def _check_password(self, name: str, password: str, running: Tree) -> None:
        account = get_or(running, {}, "system", "aaa", "user", name)
        hashed = account.get("hashed-password")
        if not isinstance(hashed, str) or account.get("state") == "disabled":
            raise DeniedError(401, "Unauthorized")
        known = (hashed, hashlib.sha256(password.encode()).digest())
        if known not in self._verified:
            if not _matches(password, hashed):
                raise DeniedError(401, "Unauthorized")
            self._verified.add(known)
        if password == DEFAULT_PASSWORD:
            raise DeniedError(403, "The default password must be changed before the API can be used.")

    def _check_token(self, text: str, running: Tree) -> str:
        token = self._tokens.get(text)
        accounts = get_or(running, None, "system", "aaa", "user")
        expiry = get_or(running, _DEFAULT_TOKEN_MINUTES, "system", "api", "token-expiration")
        if token is None or token.until_s <= self._clock.now_s() or token.account != accounts or expiry == 0:
            self._tokens.pop(text, None)
            raise DeniedError(401, "Unauthorized")
        return token.user


def is_reachable(device: DeviceSpec, running: Tree, dialect: Dialect) -> bool:
    """Can a client on the management network still reach the switch and trust its answer?"""
    api = get_or(running, {}, "system", "api")
    listening = api.get("listening-address", {})
    eth0 = get_or(running, {}, "interface", "eth0")
    owned = [address.partition("/")[0] for address in dialect.addresses_of(eth0)]
    return (
        api.get("state", "enabled") == "enabled"
        and api.get("port", 8765) == device.api_port
        and (not listening or device.address in listening)
        and device.address in owned
        and "down" not in get_or(eth0, {}, "link", "state")
        and dialect.vrf_of(eth0) == "mgmt"
    )


def lets_in(device: DeviceSpec, running: Tree, client: IPv4Address) -> bool:
    """Do the lists that eth0 has for the control plane permit this client? What no rule matches passes."""
    lists = get_or(running, {}, "interface", "eth0", "acl")
    for name in (name for name, use in lists.items() if "control-plane" in use.get("inbound", {})):
        rules = get_or(running, {}, "acl", name, "rule")
        for number in sorted(rules, key=int):
            match = get_or(rules[number], {}, "match", "ip")
            if _is_of(match, client, device.api_port):
                if "permit" not in rules[number].get("action", {}):
                    return False
                break
    return True


def _is_of(match: Tree, client: IPv4Address, port: int) -> bool:
    """Would a first segment from this client match? It has no state, and a random port of its own."""
    if match.get("protocol") not in (None, "tcp") or not match:
        return False
    tcp = match.get("tcp", {})
    to = tcp.get("dest-port", {"ANY": {}})
    is_there = "ANY" in to or str(port) in to
    return is_there and not {"state", "source-port"} & tcp.keys() and covers(match.get("source-ip", "ANY"), client)


def _basic(value: str) -> tuple[str, str]:
    try:
        name, _, password = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise DeniedError(401, "Unauthorized") from error
    return name, password


def _matches(password: str, hashed: str) -> bool:
    """Blowfish hashes, which the lab makes, and SHA-512's; in a lab the passwords of the others are not known."""
    if hashed.startswith("$6$"):
        return sha512_crypt.matches(password, hashed)
    return hashed.startswith("$2") and bcrypt.checkpw(password.encode(), hashed.encode())


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
