"""How ``nornir design --bom`` shows the bill of materials: a table, CSV or JSON."""

import csv
import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nornir_tasks.design.reports.bom import Bill
    from nornir_tasks.usecases.site import SiteDesign


def bill_of(designed: "SiteDesign") -> "Bill":
    """The bill of a site. Raises IntentError for what its intent prices and it has not got."""
    from nornir_tasks.design.reports.bom import bill_of_materials

    return bill_of_materials(designed.network, designed.site.intent, designed.catalogue)


def bill_as_json(designed: "SiteDesign") -> dict[str, Any]:
    """Every line, and how many of each kind are built in."""
    bill = bill_of(designed)
    return {
        "currency": bill.currency,
        "lines": list(bill.rows()),
        "totals": bill.totals(),
    }


def bill_as_csv(designed: "SiteDesign") -> tuple[str, str]:
    """The lines as CSV with a header, an unknown value being an empty field; and one line that says what is in it."""
    bill, text = bill_of(designed), io.StringIO()
    writer = csv.DictWriter(text, bill.columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(bill.rows())
    return text.getvalue(), f"bill of {in_words(bill)}"


def in_words(bill: "Bill") -> str:
    """``10 switches, 512 NICs, 384 transceivers, 256 jumpers, 256 assemblies``."""
    several = {"switch": "switches", "nic": "NICs", "assembly": "assemblies"}
    return ", ".join(f"{count:,} {several.get(kind, f'{kind}s')}" for kind, count in bill.totals().items())


LEAST_WANTED = (
    *("spares_percent", "polarity", "fibre", "power_w", "power_w_of_all", "spares"),
    *("connector", "form_factor", "length_m", "price", "price_of_all", "kind", "count"),
)
"""The order in which columns are dropped on a narrow terminal; the name of a line says what sets it apart."""
PADDING = 2


def print_bill(designed: "SiteDesign") -> None:
    """The same as a table; on a narrow terminal columns are left out, and in a pipe rows are whole."""
    from rich.table import Column, Table
    from rich.text import Text

    from nornir_tasks.cli.console import out, screen
    from nornir_tasks.cli.explain import WIDEST

    bill = bill_of(designed)
    rows = [
        {head: line.name if head == "part" else _shown(value) for head, value in row.items()}
        for line, row in zip(bill.lines, bill.rows(), strict=True)
    ]
    heads = columns_for(bill.columns, rows, out.width if out.is_terminal else WIDEST)
    table = Table(*(Column(head.replace("_", " "), overflow="fold") for head in heads), box=None)
    for row in rows:
        table.add_row(*(Text(row[head]) for head in heads))
    (out if out.is_terminal else screen(width=WIDEST)).print(table)
    if gone := [head.replace("_", " ") for head in bill.columns if head not in heads]:
        out.print(f"left out on {out.width} columns: {', '.join(gone)}; a wider terminal, --json or --csv has them")
    out.print(f"{in_words(bill)}{f'; prices in {bill.currency}' if bill.currency else ''}")


def columns_for(columns: tuple[str, ...], rows: list[dict[str, str]], width: int) -> tuple[str, ...]:
    """The columns that fit side by side, least wanted ones left out."""
    for gone in LEAST_WANTED:
        if sum(max(len(head), *(len(row[head]) for row in rows)) + PADDING for head in columns) <= width:
            break
        columns = tuple(head for head in columns if head != gone)
    return columns


def _shown(value: str | float | None) -> str:
    return "-" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
