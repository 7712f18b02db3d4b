"""Filter ``bastion_problems``: all that keeps a host from being a bastion, at once, before anything is changed.

Secrets are judged and never quoted.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from ipaddress import ip_address, ip_network
from typing import Any

KEYS = re.compile(r"(?:sk-)?ssh-ed25519(?:@openssh\.com)?|(?:sk-)?ecdsa-sha2-nistp\d{3}(?:@openssh\.com)?|ssh-rsa")
"""Kinds of public keys that are taken; DSA is not."""
SHORTEST_RSA_BITS = 3072
SHORTEST_SECRET_BYTES = 16
"""Of a second factor: 128 bits (RFC 4226, section 4, R6)."""
FIRST_PERSON = 1000
"""Lowest user number of an account that is not the system's (Debian Policy, 9.2.2)."""
POWERS = {
    **dict.fromkeys(("root", "sudo", "wheel", "docker", "lxd", "disk", "shadow"), "may become root"),
    **dict.fromkeys(("adm", "systemd-journal"), "reads everybody's recordings"),
}
"""What members of a group can do and no person may. Debian's are in base-passwd's users-and-groups.html, those that
read the journal in systemd-journald.service(8); that docker, lxd and wheel stand for root is from memory."""


def bastion_problems(values: Mapping[str, Any], host: Mapping[str, Any]) -> list[str]:
    """Each problem as `variable: what is wrong; remedy`.

    ``values``: the role's variables without their prefix. ``host``: ``addresses`` as ``ip -json address`` prints them,
    ``passwd`` and ``group`` the lines of ``getent passwd`` and ``getent group``, ``came`` SSH_CONNECTION of Ansible's
    own login (empty where it comes in otherwise) and ``account`` its user.
    """
    accounts = {line.split(":")[0]: int(line.split(":")[2]) for line in host["passwd"]}
    return [
        *_addresses(values, host["addresses"]),
        *_people(values, accounts),
        *_powers(values, host["passwd"], host["group"]),
        *_keys(values),
        *_second_factors(values),
        *_tool(values, accounts, host),
    ]


def _addresses(values: Mapping[str, Any], addresses: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    there = {f"{one.get('local')}/{one.get('prefixlen')}" for each in addresses for one in each.get("addr_info", ())}
    for key in ("address", "address_v6", "plane_address"):
        if values[key] and values[key] not in there:
            has = ", ".join(sorted(there)) or "none"
            yield f"bastion_{key}: no interface has {values[key]}, but {has}; give it to the interface first"


def _people(values: Mapping[str, Any], accounts: Mapping[str, int]) -> Iterator[str]:
    reached = {each["group"] for each in values["targets"]}
    for each in values["users"]:
        name = each["name"]
        if name == values["tool_account"]:
            yield f"bastion_users {name}: is bastion_tool_account, whose sessions are not recorded; two accounts"
        elif accounts.get(name, FIRST_PERSON) < FIRST_PERSON:
            yield f"bastion_users {name}: an account of the system (user number {accounts[name]}); another name"
        for target in each["targets"]:
            if target not in reached:
                yield f"bastion_users {name}: no target is of the group {target}"


def _powers(values: Mapping[str, Any], passwd: Sequence[str], group: Sequence[str]) -> Iterator[str]:
    """People whose account is there already, in a group by which a session could undo what the role does."""
    first = {line.split(":")[0]: line.split(":")[3] for line in passwd}
    groups = [(name, number, members.split(",")) for name, _, number, members in (line.split(":") for line in group)]
    for each in values["users"]:
        person = each["name"]
        for name, number, members in groups:
            if (
                name in POWERS
                and person != values["tool_account"]
                and (person in members or number == first.get(person))
            ):
                how = f"gpasswd -d {person} {name}" if person in members else f"usermod -g users {person}"
                yield (
                    f"bastion_users {person}: an account that is in the group {name} and so {POWERS[name]}, "
                    f"where people are in none of {', '.join(sorted(POWERS))}; `{how}`, or another name"
                )


def _keys(values: Mapping[str, Any]) -> Iterator[str]:
    names = {each["name"] for each in values["users"]}
    for name in sorted(names):
        if not values["keys"].get(name) and not values["user_ca"]:
            yield f"bastion_keys {name}: neither a key nor bastion_user_ca; no login as {name} would work"
    for name, keys in sorted(values["keys"].items()):
        if name not in names:
            yield f"bastion_keys {name}: no account of bastion_users; correct boundary.bastions.users in fabric.yml"
        for number, key in enumerate(keys):
            yield from (f"bastion_keys {name}[{number}]: {what}" for what in _of_key(key))
    for variable in ("user_ca", "tool_ca", "revoked_keys"):
        for number, key in enumerate(values[variable]):
            yield from (f"bastion_{variable}[{number}]: {what}" for what in _of_key(key))


def _of_key(line: str) -> Iterator[str]:
    """A public key as ssh-keygen writes it; its kind is written twice, and both must agree."""
    words = line.split()
    if "PRIVATE KEY" in line:
        yield "a private key; take it out of the variables, it is known now; the public one is in the file .pub"
        return
    if len(words) < 2 or not KEYS.fullmatch(words[0]):
        yield "no public key that is taken; one line as of `ssh-keygen -t ed25519`, without options"
        return
    try:
        fields = [*_fields(base64.b64decode(words[1], validate=True))]
    except (binascii.Error, struct.error, ValueError):
        fields = []
    if len(fields) < 2 or fields[0].decode("ascii", errors="replace") != words[0]:
        yield f"no {words[0]} key, though it says so; copy it again, whole"
    elif words[0] == "ssh-rsa" and int.from_bytes(fields[2], "big").bit_length() < SHORTEST_RSA_BITS:
        bits = int.from_bytes(fields[2], "big").bit_length()
        yield f"an RSA key of {bits} bits; {SHORTEST_RSA_BITS} or more, or ed25519"


def _fields(data: bytes) -> Iterator[bytes]:
    """Length and content, one after the other (RFC 4253, section 6.6)."""
    while data:
        (length,) = struct.unpack(">I", data[:4])
        if len(data) < 4 + length:
            raise ValueError("shorter than it says")
        yield data[4 : 4 + length]
        data = data[4 + length :]


def _second_factors(values: Mapping[str, Any]) -> Iterator[str]:
    if values["second_factor"] == "none":
        return
    for each in values["users"]:
        secret = values["totp_secrets"].get(each["name"])
        where = f"bastion_totp_secrets {each['name']}"
        if not secret:
            yield f"{where}: no second factor; `google-authenticator` or `head -c 20 /dev/urandom | base32` makes one"
            continue
        try:
            length = len(base64.b32decode(secret + "=" * (-len(secret) % 8)))
        except binascii.Error:
            yield f"{where}: not base32 (A-Z, 2-7) without blanks"
            continue
        if length < SHORTEST_SECRET_BYTES:
            yield f"{where}: {length} bytes; {SHORTEST_SECRET_BYTES} or more"
    secrets = [*values["totp_secrets"].values()]
    if len(secrets) != len(set(secrets)):
        yield "bastion_totp_secrets: two people have the same; one for each"


def _tool(values: Mapping[str, Any], accounts: Mapping[str, int], host: Mapping[str, Any]) -> Iterator[str]:
    account = values["tool_account"]
    if not values["tool_ca"]:
        yield "bastion_tool_ca: no authority that signs the certificate of Ansible's account; it would be shut out"
    if account == "root":
        yield "bastion_tool_account: the role never lets root in; give an account that may use sudo"
    elif account not in accounts:
        yield f"bastion_tool_account: no account {account} on this host; make it first, with sudo"
    parts = host["came"].split()
    if len(parts) != 4:
        return
    if host["account"] != account:
        yield (
            f"bastion_tool_account: Ansible comes in as {host['account']}, not {account}, and would shut itself out; "
            f"ansible_user: {account}"
        )
    client = ip_address(parts[0].partition("%")[0])
    sources = [*values["tool_sources"], *values["tool_sources_v6"]]
    if not any(client in ip_network(each) for each in sources):
        yield (
            f"bastion_tool_sources: Ansible comes from {client}, which is in none of {', '.join(sources)}, and would "
            "shut itself out; correct boundary.bastions.tool_sources in fabric.yml"
        )
    if int(parts[3]) != values["ssh_port"]:
        wanted = values["ssh_port"]
        yield f"bastion_ssh_port: Ansible comes in by port {parts[3]}, not {wanted}, and would shut itself out"


class FilterModule:
    """The entry point for Ansible."""

    def filters(self) -> dict[str, Callable[..., list[str]]]:
        return {"bastion_problems": bastion_problems}
