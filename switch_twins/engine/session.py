"""Configuration commands, one line at a time, into a tree: the mode stack, negation, one-line forms, heredocs, checks.

    session = ConfigSession(tree.copy(), context)
    session.feed("router bgp 65001")            # raises LineError, nothing stored, if the device would refuse it
    session.feed("banner login", body=text)     # or line by line, ending with EOF
    errors = session.check()                    # references that the operating system checks at commit
    running = session.tree

The session is the candidate: without a commit it has no effect.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .context import Context
from .errors import LineError
from .grammar import Rule
from .lines import Lines
from .lookup import Words, all_matches, cache_for, further, refusal
from .pattern import Match
from .tree import Node, Tree


@dataclass(frozen=True, slots=True)
class Change:
    """The argument of a hook named by ``after``: the line stored or removed, its place, and the session."""

    session: ConfigSession
    parent: Node
    node: Node
    removed: bool

    @property
    def tree(self) -> Tree:
        """The tree that was changed."""
        return self.session.tree


@dataclass(slots=True)
class _Pending:
    """A heredoc that is being typed."""

    parent: Node
    rule: Rule
    match: Match
    terminator: str
    is_delimiter: bool
    lines: list[str]


class ConfigSession:
    """Feeds lines into a tree (its own: pass a copy). ``path`` is the stack of entered modes, innermost last."""

    def __init__(self, tree: Tree, context: Context) -> None:
        self.tree, self.context = tree, context
        self.path: list[Node] = [tree.root]
        self.ended = False
        self._pending: _Pending | None = None
        self._cache = cache_for(tree.grammar, context)

    # -- feeding ---------------------------------------------------------------------------------------------------

    def feed(self, line: str, body: str | None = None) -> None:
        """Process one line; ``body`` is the text of a heredoc sent with it. Raises LineError and changes nothing."""
        if self._pending is not None:
            self._continue_heredoc(line)
            return
        words = Words.of(line.strip())
        if not words.words or words.words[0].startswith(self.tree.dialect.comments):
            return
        if self._moved(words):
            return
        self._command(words, body)

    def feed_all(self, lines: Iterable[str]) -> list[tuple[int, LineError]]:
        """Process many lines, refused ones are skipped; returns (line number from 1, error) of each refused line."""
        errors = []
        for number, line in enumerate(lines, start=1):
            try:
                self.feed(line)
            except LineError as error:
                errors.append((number, error))
        return errors

    @property
    def waits_for_text(self) -> bool:
        """True while a heredoc is open."""
        return self._pending is not None

    def check(self) -> list[LineError]:
        """The dangling references among those that the operating system checks at commit."""
        errors = []
        for node in self.tree.root.walk():
            rule = node.rule
            if rule is None or node.negated or node.parent is None:
                continue
            dangling = [ref for ref in rule.refs_at_commit if not self._exists(ref, node.params, node.parent)]
            errors += [LineError("reference", node.line, message=_filled(rule.error, node.params)) for _ in dangling]
        return errors

    def _moved(self, words: Words) -> bool:
        if len(words.words) != 1:
            return False
        word = words.words[0].lower()
        if word in self.tree.dialect.end_words:
            self.path, self.ended = self.path[:1], True
        elif word in self.tree.dialect.exit_words:
            self.ended = len(self.path) == 1
            self.path = self.path[:-1] or self.path
        else:
            return False
        return True

    def _command(self, words: Words, body: str | None) -> None:
        failure = refusal(words, "invalid", 0)
        for depth in range(len(self.path), 0, -1):
            parent = self.path[depth - 1]
            found = self._lookup(parent, words)
            if isinstance(found, LineError):
                failure = further(failure, found)
                continue
            rule, match, negation = found
            entered = self._apply(parent, rule, match, negation, words, body)
            self.path = self.path[:depth] + ([entered] if entered is not None else [])
            return
        raise failure

    # -- matching --------------------------------------------------------------------------------------------------

    def _lookup(self, parent: Node, words: Words) -> tuple[Rule, Match, str] | LineError:
        """The rule of parent's mode that matches the line, with "" or the negating word; or why none does."""
        found = self._first_usable(parent, words, "")
        first = words.words[0].lower()
        negations = ("no", "default") if self.tree.dialect.has_default else ("no",)
        if not isinstance(found, LineError):
            return (*found, "")
        if first not in negations or len(words.words) == 1:
            return found
        negated = self._first_usable(parent, words.without_first(), first)
        return further(found, negated) if isinstance(negated, LineError) else (*negated, first)

    def _first_usable(self, parent: Node, words: Words, negation: str) -> tuple[Rule, Match] | LineError:
        matches, failure = all_matches(self._cache, parent.mode, words, bool(negation), self.context)
        for rule, match in matches:
            if rule.no == "refuse" and negation == "no":
                continue
            problem = self._gate(rule, words)
            if problem is None:
                return rule, match
            failure = further(problem, failure) if problem.kind != "invalid" else further(failure, problem)
        return failure

    def _gate(self, rule: Rule, words: Words) -> LineError | None:
        """Why a matching rule does not exist on this device, or None."""
        context = self.context
        exists = context.has_release(rule.release) and all(
            self.tree.effective(self.tree.root, need) for need in rule.needs
        )
        if not exists:
            return refusal(words, "invalid", 0)
        if not (context.has_asic(rule.asic) and context.is_model(rule.model)):
            return refusal(words, "unavailable", 0, message=_filled(rule.error, {}))
        if rule.confidence == "M" and rule.name not in context.allowed_from_memory:
            text = f"the lab knows {rule.name!r} only from memory and it is not allowed by name ({rule.where})"
            return refusal(words, "from_memory", 0, message=text)
        return None

    # -- storing ---------------------------------------------------------------------------------------------------

    def _apply(
        self, parent: Node, rule: Rule, match: Match, negation: str, words: Words, body: str | None
    ) -> Node | None:
        """Execute a matched line; returns the node of the mode that it enters, if any."""
        if rule.is_purge:
            self._purge(parent, match.text)
            return None
        if rule.as_lines or rule.rewrite:
            node = self._one_line_form(parent, rule, match, negation, words)
            return node if rule.mode is not None and not negation else None
        if negation and not (negation == "no" and rule.no == "store"):
            self._remove_line(parent, rule, match)
            return None
        self._check_before(parent, rule, match, words)
        if rule.heredoc and not negation and self._opens_heredoc(parent, rule, match, body):
            return None
        node = self.store(parent, rule, match, negated=bool(negation))
        return node if rule.mode is not None and not negation else None

    def _check_before(self, parent: Node, rule: Rule, match: Match, words: Words) -> None:
        message = _filled(rule.error, match.params)
        if rule.when and not self.tree.holds(rule.when, parent):
            raise refusal(words, "conflict" if message else "invalid", 0, message=message)
        if rule.single:
            other = parent.children.get(rule.key(match.identity))
            if other is not None and other.words != _spelling(rule, match):
                raise refusal(words, "conflict", 0, message=_filled(rule.error, {**match.params, **_old(other)}))
        for ref in rule.refs:
            if not self._exists(ref, match.params, parent):
                raise refusal(words, "reference", len(words.words) - 1, message=message)

    def store(self, parent: Node, rule: Rule, match: Match, negated: bool = False, body: tuple[str, ...] = ()) -> Node:
        """Store an accepted line under parent, replacing the line with the same key; the lines below a mode stay."""
        key = rule.key(match.identity)
        before = parent.children.get(key)
        spelling = _spelling(rule, match)
        if before is not None and (before.rule, before.words, before.negated, before.body) == (
            rule,
            spelling,
            negated,
            body,
        ):
            return before
        node = Node(rule, spelling, match.params, match.identity, negated, body, self.tree.next_entered(), parent)
        if before is not None:
            node.entered = before.entered
            if before.rule is rule and not negated:
                node.children, node.is_oneline = before.children, before.is_oneline
                for child in node.children.values():
                    child.parent = node
        parent.children[key] = node
        self.tree.touched()
        self._after(Change(self, parent, node, removed=False), undo=(key, before))
        return node

    def _after(self, change: Change, undo: tuple[tuple[object, ...], Node | None]) -> None:
        rule = change.node.rule
        if rule is None or not rule.after:
            return
        try:
            self.tree.grammar.hooks[rule.after](change)
        except LineError:
            key, before = undo
            if before is None:
                change.parent.children.pop(key, None)
            else:
                change.parent.children[key] = before
            self.tree.touched()
            raise

    # -- removing --------------------------------------------------------------------------------------------------

    def remove(self, node: Node) -> None:
        """Remove a line with all lines below it; empty a permanent one; remove the lines that need it at top level."""
        parent, rule = node.parent, node.rule
        if parent is None or rule is None:
            return
        self.tree.touched()
        if rule.permanent:
            for child in list(node.children.values()):
                self.remove(child)
            return
        key = rule.key(node.identity)
        parent.children.pop(key, None)
        self._after(Change(self, parent, node, removed=True), undo=(key, node))
        if parent is self.tree.root:
            self._remove_dependents(node)

    def _remove_line(self, parent: Node, rule: Rule, match: Match) -> None:
        node = parent.children.get(rule.key(match.identity))
        names_it_alone = match.text == " ".join(match.identity)  # `no 25`: the entry of this number, whatever it is
        if node is None or (node.rule is not rule and not names_it_alone):
            return
        if (
            rule.no == "exact"
            and match.ok
            and len(match.text) >= len(node.words)
            and node.words != _spelling(rule, match)
        ):
            return
        self.remove(node)

    def _remove_dependents(self, gone: Node) -> None:
        for node in list(self.tree.root.walk()):
            if node.rule is None or not node.rule.needs or node.parent is None:
                continue
            if not all(self.tree.effective(self.tree.root, need) for need in node.rule.needs):
                self.remove(node)

    def _purge(self, parent: Node, leading: str) -> None:
        words = leading.split()
        for node in list(parent.children.values()):
            if node.words.split()[: len(words)] == words:
                self.remove(node)

    # -- one-line forms --------------------------------------------------------------------------------------------

    def _one_line_form(self, parent: Node, rule: Rule, match: Match, negation: str, words: Words) -> Node | None:
        """Run the lines of a one-line form; the node of the last one's mode, if it enters one."""
        if rule.rewrite:
            text = str(self.tree.grammar.hooks[rule.rewrite](match.params, parent))
        else:
            text = rule.as_lines.format_map(_Blank(match.params))
        steps = [step.strip() for step in text.split(" > ")]
        before, last = Lines(parent.children), self.tree.entered
        cursor = parent
        try:
            for step in steps[:-1]:
                inner = self._step(cursor, step, "", words)
                if inner is None:
                    return None
                if negation and inner.entered > last:  # it did not exist: nothing to remove
                    parent.children = before
                    return None
                inner.is_oneline = inner.is_oneline or (rule.oneline and inner.entered > last)
                cursor = inner
            return self._step(cursor, steps[-1], negation, words)
        except LineError:
            parent.children = before  # an outer object made for a line that was then refused must be removed
            self.tree.touched()
            raise

    def _step(self, parent: Node, line: str, negation: str, typed: Words) -> Node | None:
        """Run one line of a one-line form in exactly one mode."""
        step = Words.of(f"{negation} {line}".strip())
        found = self._lookup(parent, step)
        if isinstance(found, LineError):
            raise typed.pointing_at(found)
        rule, match, negating = found
        return self._apply(parent, rule, match, negating, step, None)

    # -- heredocs --------------------------------------------------------------------------------------------------

    def _opens_heredoc(self, parent: Node, rule: Rule, match: Match, body: str | None) -> bool:
        """Store the line at once if its text is complete, else wait for more lines."""
        is_delimiter = rule.heredoc == "delimiter"
        text = list(match.params.values())[-1] if is_delimiter else ""
        if is_delimiter and text[:1] in text[1:]:
            return False
        self._pending = _Pending(parent, rule, match, text[:1] if is_delimiter else rule.heredoc, is_delimiter, [])
        for line in body.splitlines() if body is not None else ():
            if self._pending is not None:
                self._continue_heredoc(line)
        if body is not None and self._pending is not None:
            self._continue_heredoc(self._pending.terminator)
        return True

    def _continue_heredoc(self, line: str) -> None:
        pending = self._pending
        if pending is None:
            return
        line = line.rstrip("\r\n")
        ends = pending.terminator in line if pending.is_delimiter else line.strip() == pending.terminator
        pending.lines.append(line.strip() if ends and not pending.is_delimiter else line)
        if ends:
            self._pending = None
            self.store(pending.parent, pending.rule, pending.match, body=tuple(pending.lines))

    # -- references ------------------------------------------------------------------------------------------------

    def _exists(self, ref: str, params: dict[str, str], parent: Node) -> bool:
        path = _filled(ref, params)
        scope: Node | None = self.tree.root
        if path.startswith(("./", "../")):
            scope = parent
            path = path.removeprefix("./")
        while path.startswith("../") and scope is not None:
            scope, path = scope.parent, path[3:]
        if scope is None:
            return False
        return any(not node.negated for node in scope.children.beginning(" ".join(path.split())))


def load_text(tree: Tree, context: Context, text: str) -> list[tuple[int, LineError]]:
    """Feed a whole configuration into ``tree``; returns (line number, error) of refused lines and dangling names."""
    session = ConfigSession(tree, context)
    errors = session.feed_all(text.splitlines())
    return errors + [(0, error) for error in session.check()]


def _spelling(rule: Rule, match: Match) -> str:
    return rule.print_as.format_map(_Blank(match.params)) if rule.print_as else match.text


def _old(node: Node) -> dict[str, str]:
    return {f"old_{name}": value for name, value in node.params.items()}


class _Blank(dict[str, str]):
    """Missing parameters are empty."""

    def __missing__(self, key: str) -> str:
        return ""


def _filled(text: str, params: dict[str, str]) -> str:
    return text.format_map(_Blank(params)) if text else ""
