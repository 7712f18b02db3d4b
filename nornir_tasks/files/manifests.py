"""Kubernetes manifests as YAML that people read: in the order they were made, long texts as blocks."""

from collections.abc import Iterable
from typing import Any

import yaml

MOST_COLUMNS = 200


class _Dumper(yaml.SafeDumper):
    """Text of several lines as a block; no anchors."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ANN401 (plain data of any kind)
        """Nothing is written as an alias of something before."""
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Dumper.add_representer(str, _text)


def as_yaml(documents: Iterable[Any]) -> str:
    """The documents, one after the other."""
    return yaml.dump_all(
        documents, Dumper=_Dumper, sort_keys=False, width=MOST_COLUMNS, explicit_start=True, allow_unicode=True
    )
