"""How ``merge`` joins the values that several owners set for one field: a rule in the field's metadata.

equal   all owners that set it must agree; the rule of every field without metadata
max     the greatest value
keyed   the union: of sets, of mappings, or of tuples whose items one field identifies; values under the same key are
        joined by the rules of their own fields
parts   as keyed, for a mapping whose values several owners fill together, each setting some of their fields

``None`` means that an owner does not set the field.
"""

from collections.abc import Mapping
from types import MappingProxyType

Rule = Mapping[str, str]
"""``merge``: the rule's name; ``by``: the field that tells a tuple's items apart."""

MAX: Rule = MappingProxyType({"merge": "max"})
KEYED: Rule = MappingProxyType({"merge": "keyed"})
PARTS: Rule = MappingProxyType({"merge": "parts"})
KEYED_BY_SEQUENCE: Rule = MappingProxyType({"merge": "keyed", "by": "sequence"})
