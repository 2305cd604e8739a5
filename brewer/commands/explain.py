"""Explains the code of a diagnostic: the rule behind it, a wrong example with what is said of it, and a right one.

brewer explain              all codes, a sentence each
brewer explain D010 D011    these codes
brewer explain V031         a code of programs: of the verifier (V), of text (T), of BIR (B), of the pass driver (P)
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from brewer.codes import CODES
from brewer.explanations import read_explanation
from brewer.program_codes import explain_program_code, program_code_json, program_codes
from brewer.project import Project
from brewer.report import say
from runtime.diagnostics import Diagnostic, DiagnosticsError, did_you_mean


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("codes", nargs="*", metavar="CODE", help="for example D010; without one, all codes are listed")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(project: Project, options: argparse.Namespace) -> int:
    """Prints explanations, or the list of codes. Raises: DiagnosticsError for codes that there are not."""
    codes = [code.upper() for code in options.codes]
    known = {**CODES, **program_codes()}
    unknown = [
        Diagnostic("D100", f'no code is called "{code}"', help=did_you_mean(code, known) or "`explain` lists all codes")
        for code in codes
        if code not in known
    ]
    if unknown:
        raise DiagnosticsError(unknown)
    if options.json:
        table = [{"code": code, "summary": summary} for code, summary in sorted(known.items())]
        say([json.dumps([_json(code) for code in codes] or table, indent=2)], sys.stdout)
        return 0
    texts = ["\n".join(_explanation(code)) for code in codes]
    listed = [f"{code}  {summary}" for code, summary in sorted(known.items())]
    say(["\n\n\n".join(texts)] if texts else listed, sys.stdout)
    return 0


def _json(code: str) -> dict[str, Any]:
    return read_explanation(code).json(CODES[code]) if code in CODES else program_code_json(code)


def _explanation(code: str) -> list[str]:
    return read_explanation(code).lines(CODES[code]) if code in CODES else explain_program_code(code)
