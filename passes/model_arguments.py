"""The options of a conversion, as `argparse` knows them; `passes/model_options.py` says what they do."""

from __future__ import annotations

import argparse
from math import inf, nan
from typing import Any


def add_model_options(group: Any, once: type[argparse.Action], file_name: Any, number: Any) -> None:
    """Add the options to a group of a parser; `once` stores what may be given once."""
    ends = group.add_mutually_exclusive_group()
    ends.add_argument("--keep-io", action="store_true", help="inputs and outputs keep their types, as without this")
    ends.add_argument(
        "--no-keep-io", action="store_true", help="inputs and outputs that are only used in the lower float get it"
    )
    group.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="PATTERN",
        help="what stays f32: names of nodes, of their first results, or operators; * is any text, ? any character,"
        " all else is itself; may be repeated",
    )
    group.add_argument(
        "--keep-functions",
        action="store_true",
        help="local functions stay, and what is in them stays f32; without this they are inlined where that would keep"
        " something in f32",
    )
    group.add_argument("--opset", action=once, type=number, metavar="N", help="raise the model to this operator set")
    group.add_argument(
        "--calibrate",
        action="append",
        default=[],
        type=file_name,
        metavar="INPUTS.npz",
        help="run the program on these inputs first; what would be out of range stays f32, beside what is kept f32"
        " anyhow; may be repeated, with the inputs of one more run each time",
    )
    group.add_argument(
        "--tolerance",
        action=once,
        type=_tolerance,
        metavar="ERROR",
        help="keep in f32 what is needed for the error of each output on the inputs of --calibrate to be at most this,"
        " beside the largest magnitude of the output: 0.01 is one percent; to find what is enough, the program is"
        " converted and run up to some hundred times",
    )
    group.add_argument(
        "--verify",
        action=once,
        type=file_name,
        metavar="[INPUTS.npz]",
        help="run the program before and after, on these inputs or on generated ones, and say what the errors are",
    )


def _tolerance(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = nan
    if not 0 < number < inf:
        raise argparse.ArgumentTypeError(f'"{text:.40}" is no number above 0, such as 0.01')
    return number
