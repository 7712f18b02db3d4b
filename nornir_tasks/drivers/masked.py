"""A session that shows no secrets: placeholders go up to deploy, values go down to the switch.

What a switch prints has a placeholder at each place of a secret (``Platform.secrets``): the name of the secret whose
value it has, else a digest. A candidate's placeholders become values here, as it is sent. Messages of the switch and
of libraries are cleaned, with the errors that caused them.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace

from nornir_tasks.design.config.vrfs import SessionKey
from nornir_tasks.drivers.session import Depth, Fate, Note, Running, Staged, SwitchSession, unnoted
from nornir_tasks.drivers.vault import SHORTEST, Vault, digest_of
from nornir_tasks.errors import CommitError, DeviceError, GpufabricError, LocalError, Problem, StageError
from nornir_tasks.intent.core.secret_name import HIDDEN, has_hidden, hidden, name_in, placeholder
from nornir_tasks.platforms.config_tree import Change
from nornir_tasks.platforms.counted import Counter, Reading
from nornir_tasks.platforms.counting import ALL
from nornir_tasks.platforms.observed import FIELDS, Observed
from nornir_tasks.platforms.platform import Candidate
from nornir_tasks.platforms.secret_places import SecretPlaces


class MaskedSession:
    """One connection to one switch, as deploy sees it."""

    def __init__(self, inner: SwitchSession, places: SecretPlaces, vault: Vault) -> None:
        self._inner, self._places, self._vault = inner, places, vault
        self._device = inner.endpoint.device
        self._values: dict[str, str] = {}
        """Placeholder with a digest -> what stands there on this switch."""
        self._texts: dict[str, str] = {}
        """What stands on this switch for a value of ours -> the placeholder of that value."""
        self._unshown: dict[str, str] = {}
        """Place that the switch does not show -> the placeholder that it was read as."""
        self.endpoint = inner.endpoint

    def read(self, depth: Depth = Depth.ALL) -> Running:
        """As the switch prints it, with placeholders."""
        with self._clean():
            running = self._inner.read(depth)
        self._unshown = {}
        text = self._places.in_text(running.text, self._mask)
        taken = tuple(sorted(place for place, shown in self._unshown.items() if shown != HIDDEN))
        return replace(running, text=text, unshown=taken)

    def stage(self, candidate: Candidate, name: str = "", note: Note = unnoted) -> Staged:
        """Send the candidate with values; the switch's own changes come back with placeholders."""
        sent: dict[str, str] = {}

        def unmask(place: str, value: str) -> str:
            if (secret := name_in(value)) is not None:
                sent[place] = secret
                text = self._places.stored(place, self._vault.value(secret))
                self._texts[text] = value
                return text
            return self._known_here(value)

        real = Candidate(self._places.in_payload(candidate.payload, unmask), candidate.changes)
        with self._clean():
            staged = self._inner.stage(real, name, note)
        if self._places.unshown:
            self._vault.send(self._device, sent)
        changes = frozenset(Change(self._places.in_path(each.path, self._mask), each.op) for each in staged.changes)
        if self._places.unshown:
            changes = self._as_planned(changes, candidate)
        return replace(staged, diff=self._cleaned(staged.diff), changes=changes)

    def commit(self, confirm_within_s: int | None) -> str:
        """As the session below."""
        with self._clean():
            try:
                return self._inner.commit(confirm_within_s)
            except CommitError:  # refused; after any other error it may run
                self._vault.forget(self._device)
                raise

    def fate(self, token: str) -> Fate:
        """As the session below."""
        with self._clean():
            return self._inner.fate(token)

    def confirm(self, token: str) -> None:
        """As the session below; from now on what was sent is what runs."""
        with self._clean():
            self._inner.confirm(token)
        with suppress(LocalError):  # the change is kept all the same; what cannot be noted is sent once more
            self._vault.keep(self._device)

    def revert(self, token: str) -> None:
        """As the session below."""
        self._vault.forget(self._device)
        with self._clean():
            self._inner.revert(token)

    def save(self) -> None:
        """As the session below."""
        with self._clean():
            self._inner.save()

    def tidy(self, token: str) -> None:
        """As the session below."""
        with self._clean():
            self._inner.tidy(token)

    def drop(self, tokens: Iterable[str]) -> None:
        """As the session below."""
        with self._clean():
            self._inner.drop(tokens)

    def abort(self) -> None:
        """As the session below."""
        self._vault.forget(self._device)
        with self._clean():
            self._inner.abort()

    def established(self) -> frozenset[SessionKey]:
        """As the session below."""
        with self._clean():
            return self._inner.established()

    def observe(self, fields: Collection[str] = FIELDS, vrfs: Sequence[str] = ()) -> Observed:
        """As the session below."""
        with self._clean():
            return self._inner.observe(fields, vrfs)

    def counters(self, wanted: Collection[Counter] = ALL) -> Reading:
        """As the session below."""
        with self._clean():
            return self._inner.counters(wanted)

    def close(self) -> None:
        """As the session below."""
        with self._clean():
            self._inner.close()

    # -- values and what stands for them ---------------------------------------------------------------------------

    def _mask(self, place: str, value: str) -> str:
        if value == self._places.unshown:
            name = self._vault.unshown(self._device, place)
            return self._unshown.setdefault(place, HIDDEN if name is None else placeholder(name))
        shown = self._vault.shown(self._places.known_by(place, value))
        if name_in(shown) is not None:
            self._texts[value] = shown
            return shown
        shown = self._vault.shown(value)
        self._values[shown] = value
        return shown

    def _known_here(self, value: str) -> str:
        """The value behind a placeholder that this connection read."""
        if value in self._values:
            return self._values[value]
        if has_hidden(value):
            what = "a line would be sent of which the secret is not known"
            hint = "secrets of others are kept nowhere: set it by hand, or name it in the intent and push"
            raise StageError(Problem(self._device, what, hint=hint))
        return value

    def _as_planned(self, changes: frozenset[Change], candidate: Candidate) -> frozenset[Change]:
        """What the switch shows of a secret that it keeps to itself says nothing of it: there the plan is taken."""

        def is_secret(change: Change) -> bool:
            return self._places.in_path(change.path, lambda _, value: f"{value}-") != change.path

        shown = frozenset(each for each in changes if not is_secret(each))
        return shown | frozenset(each for each in candidate.changes if is_secret(each))

    # -- messages --------------------------------------------------------------------------------------------------

    def _cleaned(self, text: str) -> str:
        shown = {each: self._vault.shown(each) for each in (*self._values.values(), *self._vault.known())} | self._texts
        for value in sorted(shown, key=len, reverse=True):
            if len(value) >= SHORTEST and value in text:
                text = text.replace(value, shown[value])
        return self._places.in_text(text, lambda _, value: self._as_shown(value))

    def _as_shown(self, value: str) -> str:
        if name_in(value) is not None or has_hidden(value) or value == self._places.unshown:
            return value
        return hidden(digest_of(value))

    @contextmanager
    def _clean(self) -> Iterator[None]:
        """Errors come out without secrets, in their texts and in those of their causes."""
        try:
            yield
        except GpufabricError as error:
            problems = tuple(self._clean_problem(each) for each in error.problems)
            if problems == error.problems and not self._has_secret_cause(error):
                raise
            raise _public(type(error))(problems) from None
        except Exception as error:
            text = str(error)
            if self._cleaned(text) == text and not self._has_secret_cause(error):
                raise
            what = f"unexpected {type(error).__name__}: {self._cleaned(text)}"
            raise DeviceError(Problem(self._device, what, hint="please report it")) from None

    def _clean_problem(self, problem: Problem) -> Problem:
        texts = (problem.what, problem.expected, problem.found, problem.hint)
        return Problem(problem.where, *map(self._cleaned, texts))

    def _has_secret_cause(self, error: BaseException) -> bool:
        below = error.__cause__ or error.__context__
        while below is not None:
            if self._cleaned(f"{below} {below!r}") != f"{below} {below!r}":
                return True
            below = below.__cause__ or below.__context__
        return False


def _public(kind: type[GpufabricError]) -> type[GpufabricError]:
    """The class of errors.py that a driver's own class stands for: it can be made from problems alone."""
    return next(each for each in kind.__mro__ if each.__module__ == GpufabricError.__module__)
