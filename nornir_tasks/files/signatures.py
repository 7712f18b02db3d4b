"""Detached signatures by SSH keys, as OpenSSH's ``ssh-keygen -Y`` makes and verifies them.

Who may sign stands in a file of allowed signers (ssh-keygen(1), "ALLOWED SIGNERS"): a name, options, a public key. The
signed bytes go to the program as its input, so that what is verified is what was read. Several people sign one file:
``plan.json`` has ``plan.json.alice.sig`` and so on beside it; ``plan.json.sig``, which ssh-keygen itself would write,
is taken as well.
"""

import glob
import hashlib
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from nornir_tasks.errors import LocalError, Problem, RefusedError, words_of
from nornir_tasks.files import programs
from nornir_tasks.files.documents import write_documents

NAMESPACE = "gpufabric-plan"
"""What a signature is for: one made for something else, as an e-mail or a commit, is none of a plan."""
PROGRAM = "ssh-keygen"
VERIFY_TIMEOUT_S = 30.0
_UNFIT = re.compile(r"[^A-Za-z0-9@._+-]")
"""Of a name, in the name of a file."""


@dataclass(frozen=True, slots=True)
class Signed:
    """The signatures beside a file."""

    by: tuple[str, ...] = ()
    """Names whose signature holds, each once, sorted."""
    problems: tuple[Problem, ...] = ()
    """Of each signature that does not hold."""


def signature_files(file: Path) -> tuple[Path, ...]:
    """The files beside ``file`` that hold signatures of it, or that are called so."""
    name = glob.escape(file.name)
    return tuple(sorted({*file.parent.glob(f"{name}.sig"), *file.parent.glob(f"{name}.*.sig")}))


def signed(file: Path, content: bytes, signers: Path) -> Signed:
    """Judge all signatures beside ``file``, whose bytes are ``content``. LocalError where ssh-keygen is missing."""
    names, problems = set[str](), list[Problem]()
    for each in signature_files(file):
        name, problem = _signer(each, content, signers)
        if problem is None:
            names.add(name)
        else:
            problems.append(problem)
    return Signed(tuple(sorted(names)), tuple(problems))


def sign(file: Path, content: bytes, key: Path, signers: Path) -> tuple[str, Path]:
    """Sign these bytes, and write the signature beside ``file``: the signer's name, and where it stands.

    ssh-keygen may ask for a passphrase, or for a touch of a hardware key. RefusedError, with nothing written, for a key
    that the signers do not list.
    """
    if not key.exists():
        hint = "name your key with --key FILE; of one that an agent holds the public part is enough"
        raise LocalError(Problem(str(key), "there is no such key", hint=hint))
    command = (_program(), "-Y", "sign", "-q", "-f", str(key), "-n", NAMESPACE)
    done = subprocess.run(command, input=content, capture_output=True, env=programs.environment(), check=False)  # noqa: S603 - as the operator's own shell would
    if done.returncode != 0 or not done.stdout:
        hint = "the key must be a private one, or its public part while an agent holds the private one"
        raise LocalError(Problem(str(key), f"cannot sign: {_words(done.stderr)}", hint=hint))
    with tempfile.NamedTemporaryFile(suffix=".sig") as made:
        made.write(done.stdout)
        made.flush()
        name, problem = _signer(Path(made.name), content, signers)
    if problem is not None:
        raise RefusedError(Problem(str(key), problem.what, problem.expected, problem.found, problem.hint))
    beside = file.with_name(f"{file.name}.{_as_file(name)}.sig")
    write_documents({beside: done.stdout})
    return name, beside


def people(signers: Path) -> frozenset[str] | None:
    """The names that a file of allowed signers lists; None where authorities are among them.

    Raises LocalError for one that cannot be read.
    """
    try:
        rows = [row.split() for row in signers.read_text(encoding="utf-8").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        hint = "write a line for each: NAME and public key, as in: alice ssh-ed25519 AAAA..."
        raise LocalError(Problem(str(signers), f"cannot be read: {words_of(error)}", hint=hint)) from error
    listed = [row for row in rows if row and not row[0].startswith("#")]
    if any("cert-authority" in " ".join(row[1:3]) for row in listed):
        return None
    return frozenset(row[0].strip('"').split(",")[0] for row in listed)


def _signer(signature: Path, content: bytes, signers: Path) -> tuple[str, Problem | None]:
    """Who signed, or what is wrong with the signature."""
    at = ("-s", str(signature))
    found = _ran("find-principals", "-f", str(signers), *at, content=content)
    names = found.stdout.decode(errors="replace").splitlines()
    if found.returncode != 0 or not names:
        is_one = _ran("check-novalidate", "-n", NAMESPACE, *at, content=content)
        if is_one.returncode != 0:
            return "", _wrong(signature, is_one.stderr)
        return "", Problem(
            str(signature),
            "this plan was signed by a key that may not approve",
            expected=f"a key of {signers}",
            found=is_one.stdout.decode(errors="replace").strip().partition(" with ")[2],
            hint="have its owner added to the signers, by those who decide on them; or remove this file",
        )
    checked = _ran("verify", "-f", str(signers), "-I", names[0], "-n", NAMESPACE, *at, content=content)
    return names[0], None if checked.returncode == 0 else _wrong(signature, checked.stderr)


def _wrong(signature: Path, words: bytes) -> Problem:
    return Problem(
        str(signature),
        "this signature is not one of this plan",
        expected=f"a signature of the plan as it is now, for {NAMESPACE}",
        found=_words(words),
        hint="a plan that was made again is to be approved again; remove this file",
    )


def _ran(verb: str, *words: str, content: bytes) -> "subprocess.CompletedProcess[bytes]":
    command = (_program(), "-Y", verb, *words)
    environment = programs.environment(LC_ALL="C")
    try:
        return subprocess.run(  # noqa: S603 - no word of it is a shell's
            command, input=content, capture_output=True, env=environment, timeout=VERIFY_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        what = f"{PROGRAM} did not verify within {VERIFY_TIMEOUT_S:.0f} s"
        raise LocalError(Problem(PROGRAM, what, hint="try it by hand: ssh-keygen -Y verify")) from error


def _program() -> str:
    found = programs.find(PROGRAM)
    if found is None:
        what = f"{PROGRAM} is not installed here: plans are signed and verified with it"
        raise LocalError(Problem(PROGRAM, what, expected="OpenSSH 8.2 or later", hint="apt install openssh-client"))
    return found


def _words(printed: bytes) -> str:
    return "; ".join(printed.decode(errors="replace").split("\n")).replace("\r", "").strip("; ") or "no reason given"


def _as_file(name: str) -> str:
    """A name of a person in the name of a file; another name has another file."""
    plain = _UNFIT.sub("_", name)
    return plain if plain == name else f"{plain}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
