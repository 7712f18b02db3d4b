"""How ``nornir design --bom`` shows the bill of materials: a table, CSV or JSON."""

import csv
import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nornir_tasks.design.bom import Bill
    from nornir_tasks.usecases.site import SiteDesign


def bill_of(designed: "SiteDesign") -> "Bill":
    """The bill of a site. Raises IntentError for what its intent prices and it has not got."""
    from nornir_tasks.design.bom import bill_of_materials

    return bill_of_materials(designed.network, designed.site.intent, designed.catalogue)


def bill_as_json(designed: "SiteDesign") -> dict[str, Any]:
    """Every line, and how many of each kind are built in."""
    bill = bill_of(designed)
    return {
        "site": designed.network.site,
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


def print_bill(designed: "SiteDesign") -> None:
    """The same as a table; folded to fit a terminal, and whole rows in a pipe."""
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    from nornir_tasks.cli.console import out
    from nornir_tasks.cli.explain import WIDEST

    bill = bill_of(designed)
    table = Table(*(Column(name.replace("_", " "), overflow="fold") for name in bill.columns), box=None)
    for row in bill.rows():
        table.add_row(*(Text(_shown(value)) for value in row.values()))
    (out if out.is_terminal else Console(highlight=False, width=WIDEST)).print(table)
    out.print(f"{in_words(bill)}{f'; prices in {bill.currency}' if bill.currency else ''}", markup=False)


def _shown(value: str | float | None) -> str:
    return "-" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
