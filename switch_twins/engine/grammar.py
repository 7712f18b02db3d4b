"""Vendor command grammars as data: the notation, and how it is loaded.

A grammar file is text in the notation of the vendors' own manuals. ``loader.load_grammar(text, ...)`` turns it into a
``Grammar``, which ``session.ConfigSession`` uses to accept or refuse configuration lines and ``tree.Tree`` uses to
print what was accepted.

RULES AND MODES
    One rule a line. Indentation means mode: a rule with indented rules below it enters a configuration mode, and the
    indented rules are what that mode accepts. (``:: mode`` makes a mode of a rule without any.) ``#`` starts a
    comment line.

        router bgp <asn:1-4294967295> :: single error="BGP is already running with AS number {asn}"
           router-id <id:ipv4>
           neighbor <peer!:ipv4|word> remote-as <asn:1-4294967295>

    Order in the file is order in the running configuration. A line is tried in the current mode, then in each enclosing
    mode up to global mode, as on the device; the first mode with a rule that matches wins and becomes current.
    Within a mode the first rule of the file that matches the whole line wins. Keywords are not case-sensitive and
    are never abbreviated.

PATTERN
    word                 a keyword
    <name:type>          a parameter (a value: a second line with another value replaces the first)
    <name!:type>         an identity parameter (another value is another object: both lines stay)
    <name>               type ``word``, or the type called ``name`` if there is one (<ipv4>, <prefix4!>)
    {a b | c <x:word>}   one of these, required;        {in|out}!   the choice is part of the identity
    [a b | c]            one of these, or none;         [vrf <vrf!:word>]  identity only when present
    {a|b|c}...  <x:word>...   one or more times
    Keywords outside { } and [ ] are part of what makes two lines the same object; keywords inside are values.

TYPES     joined with |, the first that fits wins: <peer!:ipv4|ipv6|word>
    1-4094, 65000        number or range of whole numbers      0.01-60.0    range of decimal numbers
    word                 anything without blanks               line         the rest of the line, blanks included
    ipv4 ipv6 ip         addresses                             cidr4 cidr6 cidr   address/length, host bits kept
    prefix4 prefix6 prefix  network/length, host bits cleared  mask4        dotted mask
    mac                  any of the usual forms                'in'         this keyword (in quotes)
    @type name regex     defines a type by a regular expression on the whole word
    Types in Python: load_grammar(..., types={"ifname": function(word, context) -> canonical spelling or None}).

ATTRIBUTES   after `` :: ``; quote values with blanks; an attribute that may come twice is marked *
    name=ID             name of the rule (default: its pattern); [M] rules are allowed by this name
    no=remove           ``no ...`` removes the line (the usual case, also for modes). Values may be left out:
                        ``no mtu``. Given values need not match, as on EOS. ``no`` of an absent line is accepted
    no=exact            as remove, but only if the values given are those configured
    no=store            ``no ...`` is itself configuration and is printed, unless it is the default
    no=refuse           ``no ...`` is not accepted
    default="TEXT"      this whole line is the default: it is accepted and hidden (shown by text(all_lines=True)).
                        ``on`` stands for the rule's own keywords, ``off`` for ``no`` and them. Alternatives by
                        condition, first that holds: default="no switchport -> shutdown | no shutdown"
    shown               the default is printed where it was typed (EOS ``mtu 1500``)
    key=NAME            rules with the same key under one parent replace one another
    print="TEXT"        printed so, with {parameter} put in, e.g. print="neighbor {peer} peer group {group}"
    as="LINE > LINE"    a one-line form of something nested: runs the lines below one another from the mode in which the
                        rule stands; the current mode stays, unless the rule has ``mode``: then the last line's mode is
                        entered. as="neighbor {peer} > remote-as {asn}"
    oneline             with ``as``: an object first made by this line is printed so, each of its lines after its own
                        (EOS ``ip prefix-list NAME seq 10 permit ...``)
    rewrite=HOOK        as ``as``, but hooks[HOOK](params, parent_node) -> "LINE > LINE" works it out (auto-sequence)
    after=HOOK          hooks[HOOK](Change) runs after the line was stored or removed; may change the tree or raise
                        LineError
    heredoc=EOF         lines up to one that says EOF (or the word given) belong to the line
    heredoc=delimiter   the text of the line's last parameter starts with a delimiter character and runs, over several
                        lines if need be, to its next appearance (NX-OS banner)
    needs="LINE" *      the line must stand at top level, else the rule does not exist (NX-OS: needs="feature bgp");
                        removing that line removes everything that needs it
    when="COND"         accepted only if the condition holds; ``error`` gives the text
    ref="PATH" *        the object must exist when the line is typed: ref="policy-map type qos {name}". A path
                        starts at top level; ``../x`` looks in the mode around the current one, ``./x`` in the
                        current one
    ref.commit="PATH" * as ref, checked at commit (ConfigSession.check)
    error="TEXT"        the operating system's words for a failed single/when/ref of this rule, {parameter} put in
    asic=a,b            only on ASICs whose name starts so; elsewhere refused as unavailable hardware. ``!a``: on all
                        others
    model=GLOB,GLOB     likewise by model
    release=">=4.30"    only on these releases; elsewhere the rule does not exist
    mode                enters a mode though no rules are indented below
    single              a mode of which there is one: another value is a conflict, not a second object
    permanent           cannot be removed: ``no`` and ``default`` empty it (physical interfaces)
    empty=hide          a mode printed only if something in it is printed
    join                no separator to a neighbouring block or line of the same section (NX-OS route-maps)
    nosep               no separator line before this nested block (where the dialect prints one)
    close="exit"        line printed at the end of the block
    sort=natural        order among the rule's objects: by identity, digits by value (default) | entered | names-first
    src="..." conf=V    source and confidence of this rule alone

CONDITIONS   terms joined by commas, all must hold; ``not`` in front of a term turns it round
    no switchport       this line stands in the same mode, configured or by default (leading words are enough)
    ^interface Eth      regular expression on the line that entered the mode
    /feature bgp        this line stands at top level (leading words are enough)
    /a > b > line       it stands below these blocks of the top (/interface defaults > ethernet > shutdown)

DIRECTIVES   a line of their own, at the indentation of the rules they concern
    @source TEXT        where the rules that follow come from (stays until the next one)
    @confidence V       V verified in the source | V-lab seen in a published, person-written configuration | M
                        memory. A rule of confidence M is refused unless Context.allowed_from_memory holds its name
    @section NAME       top-level lines of one section are printed without a separator between them; blocks always
                        get one
    @cluster PARAM [PARAM]   the rules up to @end-cluster are printed object by object, ordered by these parameters,
                        not rule by rule: all lines of one BGP neighbour, then all of the next. ``@cluster peer
                        names-first`` orders names before addresses
    @define NAME        indented rules kept for  @use NAME  (put in as if they stood there)
    ~ neighbor <peer!:ipv4|word>     purge rule: only ``no`` of it exists, and takes away every line of the mode that
                        begins with these words
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .context import Context
from .pattern import Element, Literal, Match, match

CONFIDENCES = ("V", "V-lab", "M")
Hook = Callable[..., Any]


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One line of a grammar. The attributes are those of the notation above; ``where`` is file:line."""

    name: str
    where: str
    source: str
    confidence: str
    position: int
    elements: tuple[Element, ...]
    cut_after: frozenset[int]
    keywords_at: tuple[tuple[int, str], ...] = ()
    is_purge: bool = False
    section: str = ""
    cluster: tuple[str, ...] = ()
    cluster_position: int = 0
    names_first: bool = False
    mode: Mode | None = None
    no: str = "remove"
    defaults: tuple[tuple[str, str], ...] = ()
    slot: object = None
    print_as: str = ""
    as_lines: str = ""
    rewrite: str = ""
    after: str = ""
    heredoc: str = ""
    needs: tuple[str, ...] = ()
    when: str = ""
    refs: tuple[str, ...] = ()
    refs_at_commit: tuple[str, ...] = ()
    error: str = ""
    asic: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    release: str = ""
    single: bool = False
    permanent: bool = False
    hide_empty: bool = False
    shown: bool = False
    oneline: bool = False
    asns: frozenset[str] = frozenset()
    """Names of the parameters that are AS numbers (type ``asn``)."""
    join: bool = False
    no_separator: bool = False
    close: str = ""
    sort: str = "natural"

    def key(self, identity: tuple[str, ...]) -> tuple[object, ...]:
        """The key of a line: two lines with equal keys under one parent are the same object."""
        return (self.slot if self.slot is not None else self.position, *identity)

    def match(self, words: list[str], rest: Callable[[int], str], context: Context, cut: bool = False) -> Match:
        """Match a whole line; with ``cut`` trailing values may be missing (negated lines)."""
        return match(self.elements, words, rest, context, self.cut_after if cut else frozenset())

    def may_match(self, lowered: list[str]) -> bool:
        """Do the keywords at fixed positions match? A quick test before the real match."""
        count = len(lowered)
        return all(index >= count or lowered[index] == word for index, word in self.keywords_at)

    @property
    def keywords(self) -> str:
        """The rule's leading keywords, e.g. "no shutdown" is "no " + keywords."""
        lead = []
        for element in self.elements:
            if not isinstance(element, Literal):
                break
            lead.append(element.word)
        return " ".join(lead)


@dataclass(slots=True, eq=False)
class Mode:
    """The rules of one configuration mode, with an index by first keyword."""

    rules: tuple[Rule, ...] = ()
    by_word: dict[str, tuple[Rule, ...]] | None = None

    def candidates(self, word: str) -> tuple[Rule, ...]:
        """The rules a line beginning with ``word`` can match, in file order."""
        if self.by_word is None:
            self.by_word = {}
        found = self.by_word.get(word)
        if found is None:
            found = tuple(rule for rule in self.rules if _may_begin(rule.elements[0], word))
            self.by_word[word] = found
        return found


def _may_begin(element: Element, word: str) -> bool:
    return not isinstance(element, Literal) or element.word.lower() == word.lower()


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """A loaded grammar: global mode, and the hooks its rules name."""

    name: str
    top: Mode
    hooks: Mapping[str, Hook]

    def rules(self) -> list[Rule]:
        """Every rule of every mode, in file order."""
        found: list[Rule] = []

        def walk(mode: Mode) -> None:
            for rule in mode.rules:
                found.append(rule)
                if rule.mode is not None:
                    walk(rule.mode)

        walk(self.top)
        return found
