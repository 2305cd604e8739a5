"""The text of attribute values, as `rhs_str` of brewed classes and the printer's trailing dictionary show them."""

from __future__ import annotations

from runtime.constants import Constant
from runtime.quoting import quoted
from runtime.text.contents import constant_text
from runtime.text.numbers import float_text


def attribute_text(value: object) -> str:
    """Return the text of a value that is not a single word: a text stands in quotes, an unknown extent is `?`.

    For the words of an enumeration, dtypes and types, `str` is the text.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, (tuple, list)):
        return f"[{', '.join('?' if item is None else attribute_text(item) for item in value)}]"
    return constant_text(value) if isinstance(value, Constant) else str(value)
