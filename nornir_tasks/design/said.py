"""How what several owners say of one field is joined: a rule in the field's metadata, for ``merge`` to go by.

equal   all who say it say the same; so it is with every field that has no rule
max     the greatest counts
keyed   everything of everybody: of a set, of a mapping, or of a tuple whose items are told apart by one of their
        fields; what several say under one key is joined by the rules of its own fields
parts   the same of a mapping whose values several owners make together, each saying some of their fields

``None`` says nothing.
"""

from collections.abc import Mapping
from types import MappingProxyType

Rule = Mapping[str, str]
"""``merge``: the rule's name; ``by``: the field that tells a tuple's items apart."""

MAX: Rule = MappingProxyType({"merge": "max"})
KEYED: Rule = MappingProxyType({"merge": "keyed"})
PARTS: Rule = MappingProxyType({"merge": "parts"})
KEYED_BY_SEQUENCE: Rule = MappingProxyType({"merge": "keyed", "by": "sequence"})
