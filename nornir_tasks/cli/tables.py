"""Tables whose first column is a name: on a narrow terminal all else is folded first, the name never."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


def named_table(name: str, *others: str) -> "Table":
    """A table without lines; its first column is never cut."""
    from rich.table import Column, Table

    columns = (Column(head, overflow="fold") for head in others)
    return Table(Column(name, no_wrap=True, overflow="ignore"), *columns, box=None)
