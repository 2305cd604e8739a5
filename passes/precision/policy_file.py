"""Policies as YAML files.

    base: autocast-f16            # what it starts from; without one each kind that is not stated runs in f32
    low: bf16                     # what `low` means
    kinds:
      reduction: low              # f32, f16, bf16, low or follow; fp16 and bfloat16 mean f16 and bf16
    guards: true
    overrides:                    # of several that fit, the last one counts
      - {instruction: graph.softmax, precision: f32}
      - {name: "decoder.*", precision: f32}
      - {instruction: graph.where, operand: on_true}     # keeps the dtype that it has

Deliberately absent: reading YAML. Whoever joins this to the brewer's loader (`passes/__main__.py`) hands over a tree
whose nodes know their places, and what collects mistakes; their codes are those of the brewer for the same mistakes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Protocol

from generated.onnx.facts import FACTS
from passes.precision.policy import POLICIES, OpKind, Override, Precision, PrecisionPolicy
from runtime.diagnostics import Diagnostic, DiagnosticsError, Place, either
from runtime.dtypes import DType, bf16, f16
from runtime.instructions import Instruction

_LOWS: Final = {"f16": f16, "bf16": bf16}
_SPELLINGS: Final = {"fp16": "f16", "float16": "f16", "bfloat16": "bf16", "fp32": "f32", "float32": "f32"}
_KEYS: Final = ("base", "low", "kinds", "guards", "overrides")
_KEYS_OF_OVERRIDES: Final = ("instruction", "name", "operand", "precision")
_Classes = Mapping[str, type[Instruction]]


class Mistakes(Protocol):
    """Collects what is wrong with a file."""

    def error(self, code: str, place: Any, message: str, *, help: str = "") -> None:
        """Add a mistake."""

    def unknown(self, code: str, place: Place, kind: str, name: str, known: Iterable[str], *, help: str = "") -> None:
        """Add that nothing of a kind has this name; near names are proposed."""

    def raise_if_any(self) -> None:
        """Raise DiagnosticsError with all of them, if there are some."""


ReadTree = Callable[[str, bytes], tuple[Any, Mistakes]]
"""From the name of a file and its bytes to its tree, None where it has none, and to what collects mistakes."""


def bytes_of(file: str) -> bytes:
    """Return all of a file.

    Raises: DiagnosticsError.
    """
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise DiagnosticsError([Diagnostic("P055", f"{file} cannot be read: {error.strerror}")]) from error


def policy_in(file: str, data: bytes, read_tree: ReadTree, classes: _Classes) -> PrecisionPolicy:
    """Return the policy that the bytes of a file describe.

    Raises: DiagnosticsError with every mistake of them.
    """
    tree, mistakes = read_tree(file, data)
    policy = None if tree is None else _Reader(mistakes, classes).policy(tree, Path(file).stem)
    mistakes.raise_if_any()
    assert policy is not None, "a file without a tree has a mistake"
    return policy


class _Reader:
    """Reads one file."""

    def __init__(self, mistakes: Mistakes, classes: _Classes) -> None:
        self.mistakes = mistakes
        self.classes = classes
        self._operators = {op_type for _, op_type in FACTS}

    def policy(self, tree: Any, name: str) -> PrecisionPolicy:
        entries = self._entries(tree, "a policy", _KEYS)
        base = self._word(entries.get("base"), "policy", POLICIES)
        start = PrecisionPolicy.custom({}) if base is None else POLICIES[base]
        low: DType | None = _LOWS.get(self._word(entries.get("low"), "lower float", _LOWS, _SPELLINGS) or "")
        stated = self._kinds(entries.get("kinds"), start.by_kind)
        guards = self._flag(entries.get("guards"))
        overrides = self._overrides(entries.get("overrides"), start.by_kind)
        return replace(
            start,
            name=name,
            low=low or start.low,
            guards=start.guards if guards is None else guards,
            overrides=(*start.overrides, *overrides),
            **stated,
        )

    def _kinds(self, node: Any, by_kind: bool) -> dict[str, Any]:
        if node is None:
            return {}
        names = [kind.value for kind in OpKind if kind is not OpKind.BOUNDARY]
        entries = self._entries(node, "kinds", names)
        found = {name: self._precision(value, by_kind) for name, value in entries.items()}
        return {name: precision for name, precision in found.items() if precision is not None}

    def _overrides(self, node: Any, by_kind: bool) -> list[Override]:
        if node is None:
            return []
        items = getattr(node, "items", None)
        if not isinstance(items, Sequence):
            self.mistakes.error("D014", node.place, "overrides are a list, each with its keys and values")
            return []
        found = [self._override(item, by_kind) for item in items]
        return [one for one in found if one is not None]

    def _override(self, node: Any, by_kind: bool) -> Override | None:
        entries = self._entries(node, "an override", _KEYS_OF_OVERRIDES)
        if not entries:
            return None
        precision = self._precision(entries.get("precision"), by_kind)
        instruction, name = self._text(entries.get("instruction")), self._text(entries.get("name"))
        operand = self._operand(entries.get("operand"), instruction)
        if "instruction" not in entries and "name" not in entries:
            self.mistakes.error(
                "D013", node.place, 'an override has "instruction", "name" or both, and here is neither'
            )
        if "operand" in entries and precision is not None and precision is not Precision.F32:
            message = "an operand by itself can only keep the dtype that it has"
            self.mistakes.error("D015", entries["precision"].place, message, help="leave out precision, or write f32")
        elif "operand" not in entries and "precision" not in entries:
            self.mistakes.error("D013", node.place, 'an override of a whole instruction has "precision"')
        if instruction is not None:
            self._check_instruction(entries["instruction"], instruction)
        return Override(precision or Precision.F32, instruction, name, operand, node.place)

    def _check_instruction(self, node: Any, name: str) -> None:
        """Refuse a name that no instruction has; what somebody else's operator is called is not known here."""
        if "::" not in name and name not in self.classes and name not in self._operators:
            help = "a node goes by its operator, Softmax or ai.onnx::Softmax, others by their mnemonic, graph.softmax"
            known = [*self.classes, *self._operators]
            self.mistakes.unknown("D015", node.place, "instruction", name, known, help=help)

    def _operand(self, node: Any, instruction: str | None) -> str | int | None:
        value = getattr(node, "value", None)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        name = self._text(node)
        if name is not None and instruction is not None and instruction in self.classes:
            known = [operand.name for operand in self.classes[instruction].INFO.operands]
            if known != ["values"] and name not in known:
                self.mistakes.unknown("D015", node.place, f"operand of {instruction}", name, known)
        return name

    def _precision(self, node: Any, by_kind: bool) -> Precision | None:
        word = self._word(node, "precision", [one.value for one in Precision], _SPELLINGS)
        if word == Precision.FOLLOW.value and by_kind:
            help = "start from a policy in which some do: base: autocast-f16"
            message = "here the kind of an operation decides alone, so none follows its operands"
            self.mistakes.error("D015", node.place, message, help=help)
            return None
        return None if word is None else Precision(word)

    def _entries(self, node: Any, what: str, known: Iterable[str]) -> dict[str, Any]:
        """Return the values of a mapping by key, without the keys that nothing reads."""
        by_name = getattr(node, "by_name", None)
        if by_name is None:
            self.mistakes.error("D014", node.place, f"{what}: keys with values are expected here")
            return {}
        for name, entry in by_name.items():
            if name not in known:
                self.mistakes.unknown("D011", entry.place, f"key of {what}", name, known)
        return {name: entry.value for name, entry in by_name.items() if name in known}

    def _word(
        self, node: Any, what: str, known: Iterable[str], spellings: Mapping[str, str] = MappingProxyType({})
    ) -> str | None:
        """Return the word that stands here, or the one that it is another spelling of."""
        written = self._text(node)
        if written is None:
            return None
        word = written if written in known else spellings.get(written, written)
        if word not in known:
            self.mistakes.unknown("D015", node.place, what, written, known, help=f"expected {either(tuple(known))}")
            return None
        return word

    def _text(self, node: Any) -> str | None:
        if node is None:
            return None
        value = getattr(node, "value", None)
        if isinstance(value, str) and value:
            return value
        self.mistakes.error("D014", node.place, "a word is expected here")
        return None

    def _flag(self, node: Any) -> bool | None:
        if node is None:
            return None
        value = getattr(node, "value", None)
        if not isinstance(value, bool):
            self.mistakes.error("D014", node.place, "true or false is expected here")
            return None
        return value
