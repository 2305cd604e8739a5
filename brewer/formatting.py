"""The one place where black runs: on rendered text that differs from what is on disk, where it has no precedent."""

from __future__ import annotations

from brewer.precedents import LINE_LENGTH, Precedents


class Formatter:
    """Gives texts as black would write them; black itself is asked about what it has not seen the like of."""

    def __init__(self, precedents: Precedents | None = None) -> None:
        self.precedents = precedents or Precedents()

    def formatted(self, text: str) -> str:
        """Raises: ValueError where black cannot read the text."""
        if not text or self.precedents.cover(text):
            return text
        by_black = formatted(text)
        if by_black == text:
            self.precedents.add(text)
        return by_black


def formatted(text: str) -> str:
    """The text as black writes it. Rendered text is written so that nothing changes; a test holds that."""
    import black  # here, because it takes a fifth of a second and most runs have nothing to format
    from black.mode import Mode, TargetVersion
    from black.report import NothingChanged

    mode = Mode(line_length=LINE_LENGTH, target_versions={TargetVersion.PY311})
    try:
        return black.format_file_contents(text, fast=True, mode=mode)
    except NothingChanged:
        return text
