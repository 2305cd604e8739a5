"""A run from definitions to files: read, render, compare, write, remember.

Nothing is written before everything is rendered, formatted and compiled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from brewer.cache import State, add_written, write_state
from brewer.commands import COMMANDS
from brewer.compiled_templates import CompiledTemplates
from brewer.fingerprints import Fingerprints, are_inputs_as_before, digest_of
from brewer.formatting import Formatter
from brewer.listing import Listed
from brewer.load import Instructions, load
from brewer.memory import Memory
from brewer.plan import Plan, Planner, report_edited
from brewer.precedents import Precedents
from brewer.problems import Problems
from brewer.project import Project
from brewer.rendering import Renderer
from brewer.report import unchanged_line
from brewer.writing import carry_out
from runtime.diagnostics import either, near_names


@dataclass(frozen=True)
class Brewed:
    """A plan, and what it was made from."""

    instructions: Instructions
    plan: Plan
    listed: tuple[Listed, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)  # every output by its path, as it is to be
    precedents: Precedents = field(default_factory=Precedents)
    compiled: CompiledTemplates | None = None


def brew(
    project: Project,
    names: Sequence[str] = (),
    memory: Memory | None = None,
    precedents: Precedents | None = None,
    compiled: CompiledTemplates | None = None,
) -> Brewed:
    """Reads, checks, renders and compares; nothing is written.

    `precedents` and `compiled` are what earlier runs have left, if that is to be trusted.
    Raises: DiagnosticsError with every mistake in definitions, names and templates.
    """
    instructions = load(project)
    only = _files_of(names, instructions, project)
    problems = Problems()
    renderer = Renderer(project, instructions, problems, compiled)
    rendered = renderer.render_all()
    problems.raise_if_any()
    planner = Planner(project, problems, memory or Memory(project), Formatter(precedents))
    plan = planner.plan(rendered, only)
    problems.raise_if_any()
    return Brewed(instructions, plan, renderer.listed(), planner.texts, planner.formatter.precedents, compiled)


def write(brewed: Brewed, project: Project, *, force: bool) -> None:
    """Carries the plan out.

    Raises: DiagnosticsError where that would take away what was written by hand; NotWritten.
    """
    problems = Problems()
    if not force:
        report_edited(brewed.plan, project, problems)
        problems.raise_if_any()
    add_written(
        str(project.root), [digest_of(text.encode()) for text in (*brewed.texts.values(), *brewed.plan.replaced)]
    )
    carry_out(brewed.plan, project)


def remember(brewed: Brewed, project: Project, memory: Memory) -> None:
    """Keeps what a complete run has found out for the next one, unless somebody changed something meanwhile."""
    root, tool = memory.root, str(Project.of_this_tool().root)
    if memory.now is None or not are_inputs_as_before(root, tool, memory.now, places=memory.places):
        return
    outputs = {path: digest_of(text.encode()) for path, text in brewed.texts.items()}
    if brewed.plan.is_clean:
        add_written(root, list(outputs.values()))  # somebody else brewed it, just as brewer here would
    definitions = {d.file: each.words for d, each in zip(brewed.instructions.definitions, brewed.listed, strict=True)}
    others = others_below_generated(memory.now, outputs, brewed.plan)
    precedents, places = sorted(brewed.precedents.units), memory.places.line()
    state = State(memory.now.inputs, outputs, others, definitions, precedents, places=places)
    write_state(root, state, unchanged_line(len(definitions), len(outputs), project.output))
    if brewed.compiled:
        brewed.compiled.keep()


def others_below_generated(now: Fingerprints, outputs: Mapping[str, str], plan: Plan) -> dict[str, str]:
    """The files there that are not brewer's, with their digests."""
    gone = {change.path for change in plan.changes if change.kind == "remove"}
    return {path: digest for path, digest in now.outputs.items() if path not in outputs and path not in gone}


def known_precedents(memory: Memory) -> Precedents:
    """What black has left alone in earlier runs; nothing where another black or another reader of it did."""
    if memory.state is None or memory.now is None:
        return Precedents()
    before, now = memory.state.inputs, memory.now.inputs
    decisive = ("Python", "black", "pytokens", "brewer/precedents.py", "tool/brewer/precedents.py")
    return Precedents(memory.state.precedents if all(before.get(n) == now.get(n) for n in decisive) else ())


def known_templates(memory: Memory) -> CompiledTemplates | None:
    """The code of templates that earlier runs have left, for this one to use and add to."""
    return CompiledTemplates(memory.root, memory.now.inputs) if memory.now else None


def _files_of(names: Sequence[str], instructions: Instructions, project: Project) -> frozenset[str]:
    """The files of the definitions that are named, with or without dialect; of facts, the file that they become."""
    table: dict[str, list[str]] = {}
    for definition in instructions.definitions if names else ():
        for name in (definition.name.value, f"{definition.dialect}/{definition.name}"):
            table.setdefault(name, []).append(definition.file)
    for document in instructions.facts if names else ():
        for name in (document.domain, f"{document.dialect}/{document.domain}"):
            table.setdefault(name, []).append(f"{project.output}/{document.dialect}/facts.py")
    problems = Problems()
    for name in names:
        if name not in table:
            bare = name.removeprefix(f"{project.layout.definitions}/").removesuffix(".yaml")
            help = f"write the name only: {bare}" if bare in table else _near(name, table, is_first=name == names[0])
            help = f"a sub-command stands first, and alone: brewer {name}" if name in COMMANDS else help
            problems.error("D083", None, f'no definition is called "{name}"', help=help)
    problems.raise_if_any()
    return frozenset(file for name in names for file in table[name])


def _near(name: str, table: Mapping[str, object], *, is_first: bool) -> str:
    """Near definitions, and where a command may stand, near commands."""
    near = near_names(name, {*table, *(COMMANDS if is_first else ())})
    commands = [each for each in near if each in COMMANDS]
    meant = [each for each in near if each not in COMMANDS]
    choices = ([either(meant)] if meant else []) + ([f"the command {either(commands)}"] if commands else [])
    return f"did you mean {' or '.join(choices)}?" if choices else ""
