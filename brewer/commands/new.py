"""Starts a definition and brews it at once: from another one, or from a skeleton with examples as comments.

  brewer new ReluOp --like ActivationOp         like another definition, in the same dialect
  brewer new Negate --dialect graph             the smallest definition of a dialect
  brewer new Negate --dialect graph --mnemonic graph.neg
  brewer new Blur --dialect acme --base GraphInst   the first one of a dialect, whose folder is made where there is none

The folder of definitions must exist, and with --dialect alone a definition of that dialect: it shows what the new one
stands on. In a project where nothing is brewed yet, everything is.

Like another one: comments stay; name, mnemonic and summary are its own; what belongs to the other alone (wrapper,
version, renames, before, since, deprecated, examples) is left out. No file is overwritten.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from brewer.brewing import brew, write
from brewer.definition_files import why_no_dialect
from brewer.definition_keys import DEFINITION
from brewer.kinds import Pattern
from brewer.load import Brewable, Instructions, load
from brewer.model import Definition
from brewer.new_definition import NewDefinition, base_for, definition_like, mnemonic_for, name_like, skeleton
from brewer.origins.answers import mistake
from brewer.origins.by_name import find_definition
from brewer.origins.trees import Trees
from brewer.plan import Plan
from brewer.project import Project
from brewer.report import say, written_lines
from runtime.diagnostics import DiagnosticsError, did_you_mean, either


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="of the new definition, in CamelCase")
    parser.add_argument("--like", metavar="OTHER", help="the definition to start from, `MatMul` or `graph/MatMul`")
    parser.add_argument("--dialect", metavar="DIALECT", help="the folder in defs/ (default: that of OTHER)")
    parser.add_argument("--base", metavar="CLASS", help="what it stands on (default: as the others of its dialect)")
    parser.add_argument("--mnemonic", metavar="WORD", help="the first word of its text (default: made from NAME)")
    parser.add_argument("--json", action="store_true", help="print JSON")


@dataclass(frozen=True)
class _Asked:
    """What is asked for, once it can be had."""

    name: str
    dialect: str
    mnemonic: str
    file: str
    like: Brewable | None
    base: str | None


def run(project: Project, options: argparse.Namespace) -> int:
    """Writes the definition, brews it, and says what to do next."""
    instructions = load(project)
    asked = _asked(project, instructions, options)
    new = _text(project, instructions, asked)
    plan = _write_and_brew(project, asked, new.text)
    if options.json:
        written = [{"kind": change.kind, "path": change.path} for change in plan.changes]
        like = asked.like.definition.file if asked.like else None
        found = {"file": asked.file, "mnemonic": asked.mnemonic, "like": like, "left_out": list(new.left_out)}
        say([json.dumps({**found, "written": written}, indent=2)], sys.stdout)
    else:
        steps = [*_next_steps(project, asked, new, plan), *_strange_base(asked, instructions, project)]
        say([f"wrote {asked.file}", *written_lines(plan), "", "next:", *steps], sys.stdout)
    return 0


def _asked(project: Project, instructions: Instructions, options: argparse.Namespace) -> _Asked:
    """Raises: DiagnosticsError where the name, the dialect or the mnemonic cannot be had."""
    like = _definition(options.like, instructions) if options.like else None
    dialect = options.dialect or (like.definition.dialect if like else None)
    _check_dialect(dialect, project, may_be_new=bool(options.base))
    assert dialect is not None
    _check_name(options.name, dialect, project, instructions)
    mnemonic = options.mnemonic or mnemonic_for(options.name, dialect)
    owner = next((b for b in instructions.brewables if b.rhs and b.rhs.mnemonic.value == mnemonic), None)
    if owner:
        help = "choose another one with --mnemonic"
        raise mistake("D033", f'the mnemonic "{mnemonic}" belongs to {owner.definition.name}', help)
    if options.base:
        _check_base(options.base, like, dialect, project, instructions)
    file = project.relative(_path(project, dialect, options.name))
    return _Asked(options.name, dialect, mnemonic, file, like, options.base)


def _path(project: Project, dialect: str, name: str) -> Path:
    return project.definitions / dialect / f"{name}.yaml"


def _definition(name: str, instructions: Instructions) -> Brewable:
    found, part = find_definition(name, instructions)
    if part:
        raise mistake("D083", f'"{name}" is a part of a definition', f"write --like {found.definition.name}")
    return found


def _check_dialect(dialect: str | None, project: Project, *, may_be_new: bool) -> None:
    known = sorted(path.name for path in project.definitions.iterdir() if path.is_dir())
    if dialect is None:
        help = f"write --like OTHER, or --dialect {either(known) or 'NAME'}"
        raise mistake("D086", "a new definition needs a dialect", help)
    near = did_you_mean(dialect, known)
    if reason := why_no_dialect(dialect):
        raise mistake("D018", f'"{dialect}" is not a name of a dialect', reason)
    if dialect in known or (may_be_new and not near):
        return
    others = f"there {'is' if len(known) == 1 else 'are'} {either(known, 'and') or 'none'}"
    help = near or f"{others}; for a new one, say with --base what the definition stands on"
    if near and may_be_new:
        help = f"{near} If not, mkdir {project.relative(project.definitions)}/{dialect}"
    raise mistake("D086", f'no dialect is called "{dialect}"', help)


def _check_name(name: str, dialect: str, project: Project, instructions: Instructions) -> None:
    pattern = DEFINITION.by_name["name"].kind
    assert isinstance(pattern, Pattern)
    if not pattern.matches(name):
        proposed = name_like(name)
        help = f"definitions are written in CamelCase: {proposed}" if proposed else pattern.help
        raise mistake(pattern.code, f'"{name}" is not a {pattern.noun}', help)
    for definition in instructions.definitions:
        if definition.dialect == dialect and definition.name.value.lower() == name.lower():
            raise mistake("D032", f'{dialect} has a definition "{definition.name}" already', f"it is {definition.file}")
    path = _path(project, dialect, name)
    if path.exists():
        raise mistake("D087", f"{project.relative(path)} exists already", "choose another name, or edit that file")


def _check_base(base: str, like: Brewable | None, dialect: str, project: Project, instructions: Instructions) -> None:
    """It is a class of the runtime, or of the project, or another definition."""
    if like is not None:
        help = f"leave out --base, or --like {like.definition.name}"
        raise mistake("D087", f"{like.definition.name} says already what it stands on", help)
    classes = project.sources.instruction_classes
    known = [*classes, *(definition.name.value for definition in instructions.definitions)]
    if base not in known:
        help = did_you_mean(base, known) or f"there are {either(classes, 'and')}"
        raise mistake("D030", f'no definition or runtime class is called "{base}"', help)


def _text(project: Project, instructions: Instructions, asked: _Asked) -> NewDefinition:
    if asked.like is None:
        base = asked.base or base_for(asked.dialect, instructions, project.sources)
        if base is None:
            message = f'no definition of "{asked.dialect}" shows what it stands on'
            help = f"say it with --base: {either(project.sources.instruction_classes)}"
            raise mistake("D087", message, help if instructions.definitions == () else f"{help}; or start with --like")
        init = next((found.init for found in project.sources.lineage(base) if found.init), ())
        in_memory = any(parameter.name == "dst" for parameter in init)
        words = instructions.vocabulary
        return NewDefinition(
            skeleton(asked.name, asked.dialect, asked.mnemonic, base, in_memory, words, project.sources), ()
        )
    file = asked.like.definition.file
    tree = Trees(project).definitions[file].header.tree
    text = (project.root / file).read_text(encoding="utf-8")
    new = definition_like(asked.like, tree, text, asked.name, asked.mnemonic)
    if new is None:
        raise mistake(
            "D087", f"the keys of {file} do not stand a line each", "copy it by hand, or start without --like"
        )
    return new


def _write_and_brew(project: Project, asked: _Asked, text: str) -> Plan:
    """Writes the definition and what is brewed from it; where it has mistakes, nothing stays.

    Raises: DiagnosticsError.
    """
    path = _path(project, asked.dialect, asked.name)
    is_first = not (project.generated / "__init__.py").is_file()
    is_new_dialect = not path.parent.is_dir()
    path.parent.mkdir(exist_ok=True)
    with path.open("x", encoding="utf-8", newline="\n") as file:  # refuses a file that came meanwhile
        file.write(text)
    try:
        brewed = brew(project, [] if is_first else [f"{asked.dialect}/{asked.name}"])
        write(brewed, project, force=False)
    except DiagnosticsError:
        path.unlink()
        if is_new_dialect:
            path.parent.rmdir()
        raise
    return brewed.plan


def _next_steps(project: Project, asked: _Asked, new: NewDefinition, plan: Plan) -> Sequence[str]:
    lines = []
    if asked.like is None:
        lines.append(f"  - say in {asked.file} what it is; `python -m brewer keys` has every key")
    else:
        other = asked.like.definition
        lines.append(f"  - change in {asked.file} what is still that of {other.name}: summary, source, fields, rules")
        if new.left_out:
            lines.append(f"  - it has no {either(new.left_out, 'and')}: that of {other.name} belongs to it alone")
        lines += _without_wrapper(project, asked, other)
        if other.semantics:
            lines.append(f"  - it runs as `{other.semantics}` until `semantics` names a function of its own")
    created = [asked.file, *(change.path for change in plan.changes if change.kind == "create")]
    if f"{project.output}/__init__.py" in created:  # everything there is new
        created = [asked.file, f"{project.output}/"]
    lines += [
        f"  - python -m brewer, then git add -N {' '.join(created)}",
        "  - read `git diff`: one new class, and its lines in the table of all classes",
    ]
    if not project.layout.is_foreign:
        lines.append(f"  - show it in a case: `{asked.mnemonic}` in tests/runtime/text/cases/")
        computes = asked.like is not None and asked.like.definition.semantics is not None
        lines.append(
            f"  - {'' if computes else 'once it has `semantics`, '}give it `examples` with a whole program, which a"
            f" test runs with extents of 0, 1 and `?`, and of rank 0"
        )
        lines.append(
            f"  - {'' if computes else 'once it has `semantics`, '}hold it against somebody else: a `Check` of"
            f" `{asked.mnemonic}` in tests/runtime/semantics/agreement/, without which a test fails"
        )
    return lines


def _without_wrapper(project: Project, asked: _Asked, other: Definition) -> Sequence[str]:
    """What the hand-written class of the other one does, this one does not."""
    if other.wrapper is None:
        return ()
    wrappers = project.sources.wrappers
    place = wrappers[other.wrapper.value].place.file
    own = sorted(name for name in wrappers[other.wrapper.value].members if not name.startswith("__"))
    file = project.relative(Path(place))
    adds = f" ({', '.join(own)})" if own else ""
    return (
        f"  - what the wrapper {other.wrapper} adds{adds}, it does not have: where it needs that, write class"
        f" {asked.name}({asked.name}Gen) as in {file}, and `wrapper: {asked.name}` in {asked.file}",
    )


def _strange_base(asked: _Asked, instructions: Instructions, project: Project) -> Sequence[str]:
    """That the other definition, of another dialect, stands on a class that nothing in this one stands on."""
    usual = base_for(asked.dialect, instructions, project.sources)
    if asked.like is None or usual in (None, *(found.name for found in project.sources.lineage(asked.like.root))):
        return ()
    root = asked.like.root
    return (f"  - choose another base: it stands on {root}, but all others of {asked.dialect} on {usual}",)
