"""Tables of plain text, and the numbers in them."""

from __future__ import annotations

from collections.abc import Sequence

_MOST_SHOWN = 120  # characters of a statement


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a line for each row; all cells but the last are set to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]) - 1)] if rows else []
    return [
        "  ".join([*(cell.rjust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]) for row in rows
    ]


def number(value: float | None) -> str:
    """Return a number in four digits, or a dash where there is none."""
    return "-" if value is None else f"{value:.4g}"


def count(value: int) -> str:
    """Return a count, or a dash for none, which lets the others stand out."""
    return str(value) if value else "-"


def cut(text: str) -> str:
    """Return a text of a line, without the end of one that is too long."""
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."
