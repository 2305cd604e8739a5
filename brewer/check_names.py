"""Names of definitions: each once in a dialect, a base that exists, no clash with a sub-command or another mnemonic."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Mapping as Table

from brewer.inheritance import Header, find_base
from brewer.model import Definition, Text
from brewer.problems import Problems
from brewer.python_sources import PythonSources
from brewer.rhs_grammar import Rhs
from runtime.diagnostics import Note, did_you_mean


def check_headers(headers: Iterable[Header], problems: Problems) -> None:
    """Names that no two definitions of a dialect may share, compared without regard to case."""
    named: dict[tuple[str, str], list[Text]] = {}
    for header in headers:
        named.setdefault((header.dialect, header.name.value.lower()), []).append(header.name)
    for (dialect, _), names in named.items():
        if len(names) > 1:
            message = f'{len(names)} definitions of {dialect} are called "{names[1]}" (case does not count)'
            notes = [Note("another one", name.place) for name in names if name is not names[1]]
            problems.error("D032", names[1].place, message, notes=notes)


def check_base(header: Header, table: Table[str, list[Header]], sources: PythonSources, problems: Problems) -> bool:
    """Whether the base is a definition or an instruction class of the runtime; a missing key is reported elsewhere."""
    base = header.base
    if base is None or find_base(header, table) is not None:
        return True
    named = table.get(base.value, [])
    if len(named) > 1:
        notes = [Note(f"one in {other.dialect}", other.name.place) for other in named]
        problems.error("D030", base.place, f'several dialects define "{base}"', notes=notes)
    elif base.value in sources.instruction_classes:
        return True
    elif base.value in sources.classes:
        help = f"instruction classes: {', '.join(sources.instruction_classes)}"
        problems.error("D030", base.place, f'"{base}" is a class of the runtime, but no instruction', help=help)
    else:
        known = {*table, *sources.instruction_classes} - {header.name.value}
        help = did_you_mean(base.value, known) or f"runtime classes: {', '.join(sources.instruction_classes)}"
        problems.error("D030", base.place, f'no definition or runtime class is called "{base}"', help=help)
    return False


def check_mnemonics(forms: Iterable[tuple[Definition, Rhs | None]], problems: Problems) -> None:
    """Every concrete definition has a mnemonic of its dialect, and no other has the same."""
    owners: dict[str, list[tuple[Definition, Text]]] = {}
    for definition, rhs in forms:
        if definition.rhs_str is None:
            if not definition.abstract and "rhs_str" not in definition.misspelled:
                help = "give it a printed form, or write `abstract: true` if it only serves as a base"
                problems.error("D043", definition.name.place, f'"{definition.name}" has no rhs_str', help=help)
            continue
        if rhs is None:
            continue
        mnemonic = rhs.mnemonic
        if _reports_prefix(definition, mnemonic, problems):
            continue  # without its prefix it may be that of another dialect
        _check_examples(definition, mnemonic.value, problems)
        owners.setdefault(mnemonic.value, []).append((definition, mnemonic))
    for found in owners.values():
        if len(found) > 1:
            (_, mnemonic), *others = (found[1], found[0], *found[2:])
            notes = [Note(f'that of "{definition.name}"', other.place) for definition, other in others]
            message = f'the mnemonic "{mnemonic}" belongs to {len(found)} definitions'
            problems.error("D033", mnemonic.place, message, notes=notes)


def _check_examples(definition: Definition, mnemonic: str, problems: Problems) -> None:
    """An example is a program, or `%r: type = mnemonic ...`; that it can be parsed and runs is for a test to show."""
    for example in definition.examples:
        text = example.value
        if text.startswith(("func ", "target ")):
            if not re.search(rf"(?<!\S){re.escape(mnemonic)}(?!\S)", text):
                help = f"somewhere in it: %r: type = {mnemonic} ..."
                problems.error("D046", example.place, f'the example does not show "{mnemonic}"', help=help)
            continue
        found = (text.partition(" = ")[2] if text.startswith("%") else text).partition(" ")[0]
        if found != mnemonic:
            message = f'the example shows "{found}", not "{mnemonic}"'
            if not re.fullmatch(r"[\w.]+", found):
                message = f'the example is no program, which starts with `func` or `target`, and shows no "{mnemonic}"'
            problems.error("D046", example.place, message, help=f"%r: type = {mnemonic} ...")


def _reports_prefix(definition: Definition, mnemonic: Text, problems: Problems) -> bool:
    prefix, dot, _ = mnemonic.value.rpartition(".")
    if definition.dialect == "neuron" and dot:
        problems.error("D044", mnemonic.place, "mnemonics of neuron have no prefix", help=f'remove "{prefix}."')
    elif definition.dialect != "neuron" and not mnemonic.value.startswith(f"{definition.dialect}."):
        help = f'write "{definition.dialect}.{mnemonic}"'
        message = f"mnemonics of {definition.dialect} start with the name of the dialect"
        problems.error("D044", mnemonic.place, message, help=help)
    else:
        return False
    return True
