"""Reading the regions of generic instructions, each under the name of its attribute.

    %y: f32[2] = onnx.node "ai.onnx::If" %c then_branch { ... } else_branch { ... }
    onnx.node "com.example::Switch" %k bodies[0] { ... } bodies[1] { ... }

Deliberately absent: which regions an operator has, which nobody here knows. So where a name stands is also where a
region is, and a region on a line of its own is known by its looks.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from runtime.blocks import Block
from runtime.generic import Region
from runtime.quoting import STRING, WORD
from runtime.text.open_reader import REGION_TO_COME
from runtime.text.open_values import region_label
from runtime.text.recovery import BLOCK
from runtime.text.scanner import LINES, SPACE, Mistake, Scanner

_LABEL = rf"(?P<label>(?P<name>{WORD}|{STRING})(?:\[(?P<position>[0-9]{{1,9}})\])?)"
_EXAMPLE = "then_branch { ... }"

_label = re.compile(rf"{_LABEL}{SPACE}(?=[({{])")
_label_below = re.compile(rf"{LINES}{_LABEL}{SPACE}(?=(?:\([^\n]*\){SPACE})?{BLOCK})")
_block = re.compile(BLOCK)


class OpenRegions:
    """The regions of one instruction: `attributes` are those that its dictionary has."""

    def __init__(self, scanner: Scanner, attributes: dict[str, Any], read_region: Callable[[Block], None]) -> None:
        self.scanner = scanner
        self.blocks: list[Block] = []
        self._attributes = attributes
        self._read_region = read_region
        self._found: dict[str, dict[int | None, int]] = {}  # of each name, by position in its list, which region

    def read(self, has_ended: bool, is_mnemonic: Callable[[str], bool]) -> bool:
        """Read all regions that stand next, and put them among the attributes; whether the line has ended behind them.

        `has_ended`: whether it has ended already.
        """
        scanner = self.scanner
        while True:
            match = None if has_ended else scanner.peek(_label)
            if match is not None:
                self._read_one(match)
                continue
            if not has_ended and scanner.peek(_block):
                self._report_nameless()
                continue
            has_ended = has_ended or scanner.accept_end_of_line()
            below = _label_below.match(scanner.text, scanner.pos) if has_ended else None
            if below is None or is_mnemonic(below["name"]):
                break
            self._report_below(below)
            has_ended = False
        return has_ended

    def finish(self, start: int, end: int) -> None:
        """Give the attributes their regions; `start` and `end` are where the instruction's name stands."""
        for name, positions in self._found.items():
            if None in positions:
                self._attributes[name] = Region(positions[None])
                continue
            missing = next((at for at in range(len(positions)) if at not in positions), None)
            if missing is not None:
                self.scanner.fail("T023", f"the region {region_label(name, missing)} is missing", start, end)
            self._attributes[name] = tuple(Region(positions[at]) for at in range(len(positions)))
        for name, value in self._attributes.items():
            if value is REGION_TO_COME:
                help = f"it stands behind the dictionary: {region_label(name, None)} {{ ... }}"
                message = f"the region {region_label(name, None)} is missing, which the dictionary names"
                self.scanner.fail("T023", message, start, end, help=help)

    def _read_one(self, match: re.Match[str]) -> None:
        scanner = self.scanner
        name = match["name"]
        if name[0] == '"':
            name = scanner.unquoted(name, match.start())
        position = None if match["position"] is None else int(match["position"])
        positions = self._found.setdefault(name, {})
        is_other = self._attributes.get(name, REGION_TO_COME) is not REGION_TO_COME
        if is_other or position in positions or (positions and (position is None or None in positions)):
            label = region_label(name, position)
            scanner.report(scanner.diagnostic("T022", f"{label} is given twice", *match.span("label")))
        positions[position] = len(self.blocks)
        scanner.pos = match.end()
        self._read_block()

    def _read_block(self) -> None:
        block = Block()
        self._read_region(block)
        self.blocks.append(block)

    def _report_nameless(self) -> None:
        """Say that a region has no name, and read it all the same."""
        self._report("the name of the region", f"a region stands behind its name: {_EXAMPLE}")
        self._read_block()

    def _report_below(self, below: re.Match[str]) -> None:
        """Say that a region starts on a line of its own, and go there."""
        help = f"the name of a region stands on the line on which what is before it ends: }} {_EXAMPLE}"
        scanner = self.scanner
        scanner.pos = below.start("label")
        message = f"{below['label']} is no statement but a region"
        scanner.report(scanner.diagnostic("T041", message, *below.span("label"), help=help))

    def _report(self, what: str, help: str) -> None:
        try:
            self.scanner.fail_expecting(what, help=help)
        except Mistake as mistake:
            self.scanner.report(mistake.diagnostic)
