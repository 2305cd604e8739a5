"""A definition as it was and as it is, brewed on the real runtime: what those of before wrote, those of now read.

# A sentence of intent.
## before: defs/neuron/X.yaml      a file of before; `now:` one of now, `both:` one of both
## renamed: old new                fields that are the same under another name
## means: field value              what a field of now is in what was written before, which does not have it
## program                         a text of before; several may be given
# expect
...
"""

import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType, ModuleType
from typing import Any

import pytest

from brewer.load import Instructions, load
from brewer.meaning.comparison import Comparison, compare
from brewer.meaning.rules import Effect
from brewer.meaning.snapshot import snapshot_of_work_tree
from brewer.problems import Problems
from brewer.project import Project
from brewer.python_sources import PythonSources
from brewer.rendering import Renderer
from runtime.access import NeuronAP
from runtime.bir import bir_text, read_bir
from runtime.builtin import Opaque, Return, Yield
from runtime.diagnostics import DiagnosticsError
from runtime.functions import Module
from runtime.instructions import Instruction
from runtime.text.parser import parse_with_places
from runtime.text.printer import print_module
from runtime.verifier import verify
from tests.case_files import CaseFile, read_case_file

HERE = Project.of_this_tool()
Classes = Mapping[str, type[Instruction]]
WORDS = """\
dtypes: [bool, i8, i16, i32, u8, f32, f16, bf16]
dtype_groups: {integers: [i8, i16, i32, u8], floats: [f32, f16, bf16]}
memories: [dram, sbuf, psum]
engines: [unknown, vector, scalar, gpsimd]
targets: {trn1: [vector, gpsimd], trn2: [vector, scalar, gpsimd]}
enums:
  rmw_op: {doc: Stores., values: [add]}
  alu_op: {doc: Operations., values: [add, max, min, mult, pow, subtract, divide, is_equal]}
"""
"""A few words of the real vocabulary, since it is brewed for each side of each case."""
_JSON_KINDS = {"int": "number", "float": "number", "enum": "word", "str": "word"}


@dataclass
class Case:
    file: CaseFile
    before: dict[str, str] = field(default_factory=dict)
    now: dict[str, str] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    means: dict[str, object] = field(default_factory=dict)
    programs: list[str] = field(default_factory=list)


def parsed(file: CaseFile) -> Case:
    case = Case(file)
    for section in file.input.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        kind, _, value = title.partition(": ")
        body = body.rstrip("\n") + "\n"
        if kind == "program":
            case.programs.append(body)
        elif kind == "renamed":
            old, new = value.split()
            case.renamed[old] = new
        elif kind == "means":
            name, stated = value.split()
            case.means[name] = json.loads(stated)
        else:
            assert kind in ("before", "now", "both"), f"{file.path.name}: no directive is called {kind}"
            for side, files in (("before", case.before), ("now", case.now)):
                if kind in (side, "both"):
                    files[value] = body
    return case


@dataclass(frozen=True)
class Side:
    project: Project
    instructions: Instructions
    classes: Classes


@cache
def comparison_of(path: Path) -> tuple[Comparison, Side, Side]:
    """The case in a file, brewed and compared once for all tests."""
    case = parsed(read_case_file(path, "#"))
    folder = Path(_folder().name, path.stem)
    before, now = _side(case.before, folder / "before"), _side(case.now, folder / "now")
    snapshots = [snapshot_of_work_tree(side.project, side.instructions) for side in (before, now)]
    return compare(replace(snapshots[0], title="before"), snapshots[1]), before, now


@cache
def _folder() -> "TemporaryDirectory[str]":
    """Kept as long as the tests run: to remove one folder is quicker than to remove a hundred."""
    return TemporaryDirectory()


@cache
def _sources() -> PythonSources:
    return PythonSources(HERE.root)


def _sources_with_wrappers_of(folder: Path) -> PythonSources:
    """The real runtime; its wrappers belong to the real definitions, so there are those of the case instead."""
    sources = PythonSources(HERE.root)
    for part in ("classes", "semantics", "inference", "instruction_classes"):
        sources.__dict__[part] = getattr(_sources(), part)
    sources.__dict__["wrappers"] = PythonSources(folder).wrappers
    return sources


@cache
def _environment() -> Any:
    return Renderer(HERE, load(HERE), Problems()).environment


def _side(files: Mapping[str, str], folder: Path) -> Side:
    for name, text in {"defs/vocabulary.yaml": WORDS, **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    project = Project(folder)
    project.__dict__["sources"] = _sources_with_wrappers_of(folder)
    instructions, problems = load(project), Problems()
    renderer = Renderer(project, instructions, problems)
    renderer.__dict__["environment"] = _environment()
    rendered = {file.path: file.text for file in renderer.render_all()}
    problems.raise_if_any()
    with pytest.MonkeyPatch.context() as patched:
        return Side(project, instructions, dict(_classes(instructions, rendered, patched)))


def _classes(
    instructions: Instructions, rendered: Mapping[str, str], patch: pytest.MonkeyPatch
) -> Iterator[tuple[str, type[Instruction]]]:
    """The classes by mnemonic; a base is there before what stands on it."""
    yield from ((str(cls.INFO.mnemonic), cls) for cls in (Opaque, Return, Yield))
    _execute("generated/vocabulary.py", rendered, patch)
    for brewable in sorted(instructions.brewables, key=lambda brewable: len(brewable.bases)):
        definition = brewable.definition
        module = _execute(f"generated/{definition.dialect}/{definition.name}Gen.py", rendered, patch)
        if brewable.rhs:
            yield brewable.rhs.mnemonic.value, getattr(module, f"{definition.name}Gen")


def _execute(path: str, rendered: Mapping[str, str], patch: pytest.MonkeyPatch) -> ModuleType:
    name = path.removesuffix(".py").replace("/", ".")
    module = ModuleType(name)
    patch.setitem(sys.modules, name, module)
    exec(compile(rendered[path], path, "exec"), module.__dict__)
    return module


@dataclass
class Observed:
    """What happens in fact, over all programs."""

    effects: Effect = Effect.NONE


def observe(case: Case, before: Side, now: Side) -> Effect:
    """Writes every program with the classes of before, and reads it with those of now."""
    seen = Observed()
    for text in case.programs:
        written = _parse(text, before.classes)
        assert print_module(written) == text, "a program is not in canonical form"
        assert not verify(written), "a program was refused before, too"
        _observe_text(case, text, written, now, seen)
        record = bir_text(written)
        if not _means_the_same(case, written, _read(read_bir, record, now.classes)):
            seen.effects |= Effect.BIR
        read = _read(_parse, text, now.classes)
        if read is not None and _derived(bir_text(read), now.classes) != _derived(record, before.classes):
            seen.effects |= Effect.VERSION
    pairs = list(_pairs(before, now))
    seen.effects |= Effect.NONE if len(pairs) == len(before.classes) - 3 else Effect.PYTHON
    for old, new in pairs:
        if _layout(old, case.renamed) != _layout(new, {}):
            seen.effects |= Effect.VERSION
        if _callers_change(old, new):
            seen.effects |= Effect.PYTHON
    return seen.effects


def _observe_text(case: Case, text: str, written: Module, now: Side, seen: Observed) -> None:
    read = _read(_parse, text, now.classes)
    if read is None or not _means_the_same(case, written, read):
        seen.effects |= Effect.TEXT
        return
    if print_module(read) != text:
        seen.effects |= Effect.PRINT
    if verify(read):
        seen.effects |= Effect.VERIFY


def _parse(text: str, classes: Classes) -> Module:
    return parse_with_places(text, classes, "program").module


def _read(reader: Callable[[str, Classes], Module], text: str, classes: Classes) -> Module | None:
    """What the text says; None where it is refused."""
    try:
        return reader(text, classes)
    except DiagnosticsError:
        return None


def _means_the_same(case: Case, written: Module, read: Module | None) -> bool:
    """Whether what was read back has the same fields, under the names of now; what only one side has is absent."""
    if read is None:
        return False
    return all(
        dict(_fields(old, case.renamed, new, {})) == dict(_fields(new, {}, old, case.renamed, case.means))
        for old, new in zip(written.insts, read.insts, strict=True)
    )


def _fields(
    inst: Instruction,
    names: Mapping[str, str],
    twin: Instruction,
    names_of_twin: Mapping[str, str],
    means: Mapping[str, object] = MappingProxyType({}),
) -> Iterator[tuple[str, object]]:
    shared = {names_of_twin.get(name, name) for name in twin.INFO.fields}
    absent = {attribute.name: attribute.default for attribute in inst.INFO.attributes if not attribute.required}
    absent.update(means)
    for field_name in inst.INFO.fields:
        value = getattr(inst, field_name)
        name = names.get(field_name, field_name)
        if name in shared or value not in (absent.get(field_name), None, ()):
            is_operand = any(operand.name == field_name for operand in inst.INFO.operands)
            yield name, _listed(value) if is_operand else _plain(value)
    yield "op", inst.INFO.mnemonic
    yield "dst", _plain(inst.dst)
    yield "results", [str(result.type) for result in inst.results]
    contents = ([_operands(inner) for inner in block] for block in inst.blocks)
    yield "regions", {names.get(name, name): held for name, held in zip(inst.INFO.region_names, contents, strict=True)}


def _plain(value: object) -> object:
    if isinstance(value, NeuronAP):
        return value.tensor.name, str(value.offset), value.pairs
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and repr(value) != "-0.0" else repr(value)
    return repr(value) if isinstance(value, int) else getattr(value, "name", value)


def _operands(statement: object) -> object:
    return list(map(_plain, statement.operands())) if isinstance(statement, Instruction) else "a loop"


def _listed(operand: object) -> list[object]:
    """One operand, none, or several: a slot that holds one of them and a slot for any number mean the same."""
    return list(map(_plain, operand)) if isinstance(operand, tuple) else [] if operand is None else [_plain(operand)]


def _pairs(before: Side, now: Side) -> Iterator[tuple[type[Instruction], type[Instruction]]]:
    """The classes of before beside those of now: the same mnemonic, or the only one on each side."""
    ours = [set(side.classes) - {"opaque", "return", "yield"} for side in (before, now)]
    for mnemonic in sorted(ours[0] & ours[1]):
        yield before.classes[mnemonic], now.classes[mnemonic]
    if not ours[0] & ours[1] and len(ours[0]) == len(ours[1]) == 1:
        yield before.classes[ours[0].pop()], now.classes[ours[1].pop()]


def _layout(cls: type[Instruction], renamed: Mapping[str, str]) -> object:
    """The fields of a record, and what it means to leave one out."""
    info = cls.INFO
    operands = [operand.variadic for operand in info.operands], [renamed.get(name, name) for name in info.region_names]
    order = [renamed.get(operand.name, operand.name) for operand in info.operands]
    fields = {
        a.name: (_json_kind(a.type), "required" if a.required else repr(a.default).removesuffix(".0"))
        for a in info.attributes
    }
    return operands, order, fields, sorted(info.ap_indices)


def _json_kind(type: str) -> str:
    word = type.removeprefix("list[").removesuffix("]")
    return type.replace(word, _JSON_KINDS.get(word, word))


def _derived(record: str, classes: Classes) -> set[str]:
    found: set[str] = set()
    for function in json.loads(record)["functions"]:
        for statement in function["body"]:
            info = classes[statement["op"]].INFO
            known = {attribute.name for attribute in info.attributes} | set(info.ap_indices)
            found |= set(statement.get("fields", {})) - known
    return found


def _callers_change(before: type[Instruction], now: type[Instruction]) -> bool:
    """Whether a call, an import or a use of a property that was right may be wrong."""
    old, new = (inspect.signature(cls.__init__).parameters for cls in (before, now))
    by_position = [name for name, p in old.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
    here = [name for name, p in new.items() if p.kind is p.POSITIONAL_OR_KEYWORD]
    if (
        (before.__module__, before.__name__) != (now.__module__, now.__name__)
        or here[: len(by_position)] != by_position
        or set(old) - set(new)
    ):
        return True
    needed = [{name for name, p in side.items() if p.default is p.empty} for side in (old, new)]
    defaults = [
        {name: repr(side[name].default).removesuffix(".0") for name in set(old) & set(new)} for side in (old, new)
    ]
    properties = [dict(_properties(cls)) for cls in (before, now)]
    lost = any(properties[1].get(name) != type for name, type in properties[0].items())
    return (
        bool(needed[1] - needed[0])
        or lost
        or any(defaults[0][name] != defaults[1][name] and name not in needed[0] for name in defaults[0])
    )


def _properties(cls: type[Instruction]) -> Iterator[tuple[str, object]]:
    for part in reversed(cls.__mro__):
        for name, member in vars(part).items():
            if isinstance(member, property) and part.__module__.startswith("generated"):
                yield name, (member.fget.__annotations__ if member.fget else {}).get("return")
