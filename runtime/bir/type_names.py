"""Types and data types by name: the same words as in IR text, read with the text's own reader."""

from __future__ import annotations

from typing import Any

from runtime.bir.problems import BirError, wrong_kind
from runtime.dtypes import DType, UnknownDTypeError, dtype_of
from runtime.text.scanner import Mistake, Scanner, shortened
from runtime.text.source import SourceText
from runtime.text.type_reader import read_type
from runtime.types import Type


def type_of_text(found: Any) -> Type:
    """Return the type that a text says.

    Raises: BirError.
    """
    if not isinstance(found, str):
        raise wrong_kind(found, "a type")
    scanner = Scanner(SourceText(found, ""))
    try:
        type = read_type(scanner)
        scanner.expect_end_of_line()
    except Mistake as mistake:
        said = mistake.diagnostic
        assert said is not None, "a text by itself has no mistakes that follow from others"
        if said.code == "T030":
            raise BirError("B014", said.message, help=said.help) from None
        raise BirError("B015", f'"{shortened(found)}" is no type: {said.message}', help=said.help) from None
    return type


def dtype_of_name(found: Any) -> DType:
    """Return the data type of this name.

    Raises: BirError.
    """
    if not isinstance(found, str):
        raise wrong_kind(found, "the name of a data type")
    try:
        return dtype_of(found)
    except UnknownDTypeError as error:
        message, _, help = str(error).partition("; ")
        raise BirError("B014", message, help=help) from None
