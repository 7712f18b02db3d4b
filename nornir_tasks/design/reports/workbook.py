"""A workbook of one sheet (.xlsx) in which text stays text: rack 1-2 is no date, 007 no number, =x no formula.

The parts and elements that ECMA-376 Part 1 requires of a SpreadsheetML package: 12.3.20 (styles), 12.3.23 (workbook),
12.3.24 (worksheet), 18.3.1.4 (cell; ``inlineStr``: its text stands in it). Cells of text have number format 49, "@", so
that they stay text when a person edits them (18.8.30).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

Cell = str | int | None
"""None: an empty cell."""

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OF_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OF_PACKAGES = "http://schemas.openxmlformats.org/package/2006"
_OF_DOCUMENTS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml."

_CONTENT_TYPES = (
    f'{_XML}<Types xmlns="{_OF_PACKAGES}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}styles+xml"/></Types>'
)
_ROOT = (
    f'{_XML}<Relationships xmlns="{_OF_PACKAGES}/relationships">'
    f'<Relationship Id="rId1" Type="{_OF_DOCUMENTS}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
)
_PARTS_OF_BOOK = (
    f'{_XML}<Relationships xmlns="{_OF_PACKAGES}/relationships">'
    f'<Relationship Id="rId1" Type="{_OF_DOCUMENTS}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OF_DOCUMENTS}/styles" Target="styles.xml"/></Relationships>'
)
_STYLES = (
    f'{_XML}<styleSheet xmlns="{_OF_SHEETS}">'
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)
_TEXT, _HEAD = 1, 2
"""Indexes of ``cellXfs``."""


def workbook(sheet: str, heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> dict[str, str]:
    """The parts of the file, by name. ``sheet``: the sheet's name. The first row has the heads, and stays in view."""
    book = (
        f'{_XML}<workbook xmlns="{_OF_SHEETS}" xmlns:r="{_OF_DOCUMENTS}">'
        f'<sheets><sheet name={quoteattr(sheet)} sheetId="1" r:id="rId1"/></sheets></workbook>'
    )
    return {
        "[Content_Types].xml": _CONTENT_TYPES,
        "_rels/.rels": _ROOT,
        "xl/workbook.xml": book,
        "xl/_rels/workbook.xml.rels": _PARTS_OF_BOOK,
        "xl/styles.xml": _STYLES,
        "xl/worksheets/sheet1.xml": "".join(_sheet(heads, rows)),
    }


def _sheet(heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Iterator[str]:
    yield f'{_XML}<worksheet xmlns="{_OF_SHEETS}"><sheetViews><sheetView workbookViewId="0">'
    yield '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>'
    for number, column in enumerate(zip(heads, *rows, strict=True), start=1):
        width = 2 + max(len(str(cell)) for cell in column if cell is not None)
        yield f'<col min="{number}" max="{number}" width="{min(width, 80)}" customWidth="1"/>'
    yield "</cols><sheetData>"
    yield _row(1, heads, _HEAD)
    for number, row in enumerate(rows, start=2):
        yield _row(number, row, _TEXT)
    yield "</sheetData></worksheet>"


def _row(number: int, cells: Iterable[Cell], style: int) -> str:
    found = (_cell(f"{_letters(at)}{number}", cell, style) for at, cell in enumerate(cells) if cell is not None)
    return f'<row r="{number}">{"".join(found)}</row>'


def _cell(place: str, cell: str | int, style: int) -> str:
    if isinstance(cell, int):
        return f'<c r="{place}"><v>{cell}</v></c>'
    return f'<c r="{place}" s="{style}" t="inlineStr"><is><t xml:space="preserve">{_text(cell)}</t></is></c>'


def _letters(column: int) -> str:
    """A to Z, AA and so on; from 0."""
    more, last = divmod(column, 26)
    return (_letters(more - 1) if more else "") + chr(ord("A") + last)


_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\r\x0e-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def _text(text: str) -> str:
    """As XML; a character that XML has not is ``_xHHHH_``, and so is an underline that would begin one (22.9.2.19)."""
    return escape(_NOT_XML.sub(lambda found: f"_x{ord(found[0]):04X}_", text))
