"""The one place where black runs: on rendered text that differs from what is on disk."""

from __future__ import annotations

LINE_LENGTH = 120


def formatted(text: str) -> str:
    """The text as black writes it. Rendered text is written so that nothing changes; a test holds that."""
    import black  # here, because it takes a tenth of a second and most runs have nothing to format
    from black.mode import Mode, TargetVersion
    from black.report import NothingChanged

    mode = Mode(line_length=LINE_LENGTH, target_versions={TargetVersion.PY311})
    try:
        return black.format_file_contents(text, fast=True, mode=mode)
    except NothingChanged:
        return text
