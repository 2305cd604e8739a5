"""All definitions of a project, read, merged with their bases and checked, or every mistake at once."""

from __future__ import annotations

from collections.abc import Iterable

from brewer.check_contradictions import check_contradictions
from brewer.check_destination import check_destination, check_memories
from brewer.check_fields import check_clashes, check_fields, check_functions, check_required
from brewer.check_names import check_base, check_headers, check_mnemonics
from brewer.check_regions import check_regions
from brewer.check_rhs import check_rhs
from brewer.check_rules import check_constraints, check_facts, check_renames, check_results, check_serialize
from brewer.check_semantics import check_semantics
from brewer.check_sources import check_sources
from brewer.check_wrappers import check_unnamed_wrappers, check_wrapper
from brewer.definition_files import Headers, load_headers, load_vocabulary
from brewer.frozen import frozen
from brewer.inheritance import Header, find_base, merged_trees, report_cycles
from brewer.model import Definition
from brewer.older_values import check_before
from brewer.problems import Problems
from brewer.project import Project
from brewer.read_definition import read_definition
from brewer.read_facts import FactsDocument
from brewer.rhs_grammar import Rhs
from brewer.vocabulary import Vocabulary
from runtime.diagnostics import shown_path


@frozen
class Brewable:
    """A checked definition with what the views need beside it."""

    definition: Definition
    rhs: Rhs | None
    base: Definition | None  # None where the base is a runtime class
    root: str  # the runtime class that it stands on in the end
    bases: tuple[str, ...]  # the files of the definitions that it stands on, nearest first


@frozen
class Instructions:
    """Everything that the definitions of a project say, in order of dialect and name."""

    vocabulary: Vocabulary
    brewables: tuple[Brewable, ...]
    facts: tuple[FactsDocument, ...]

    @property
    def definitions(self) -> tuple[Definition, ...]:
        return tuple(brewable.definition for brewable in self.brewables)


def load(project: Project) -> Instructions:
    """Reads and checks `defs/`.

    Raises: DiagnosticsError with all mistakes, in file order.
    """
    problems = Problems()
    instructions = load_what_is_readable(project, problems)
    problems.raise_if_any()
    assert instructions is not None
    return instructions


def load_what_is_readable(project: Project, problems: Problems) -> Instructions | None:
    """What `defs/` says as far as it can be read, mistakes or not; None without its vocabulary."""
    if not project.definitions.is_dir():
        help = "start brewer in a project, or name one with --root"
        problems.error("D084", None, f"there is no folder {shown_path(str(project.definitions))}", help=help)
        return None
    vocabulary = load_vocabulary(project, problems)
    files = load_headers(project, problems)
    if vocabulary is None:  # without its words, every definition would be wrong
        return None
    return check_together(project, files, vocabulary, problems)


def load_part(project: Project, files: Iterable[str], others: Iterable[str]) -> Instructions:
    """Reads and checks these files only. They hold all that their definitions stand on.

    `others` are the names of definitions that are known to be sound.
    Raises: DiagnosticsError with all mistakes in these files.
    """
    problems = Problems()
    vocabulary = load_vocabulary(project, problems)
    found = load_headers(project, problems, files)
    problems.raise_if_any()
    assert vocabulary is not None
    unjudged = frozenset(others) - {header.name.value for header in found.headers}
    instructions = check_together(project, Headers(found.headers, found.facts, unjudged), vocabulary, problems)
    problems.raise_if_any()
    return instructions


def check_together(project: Project, files: Headers, vocabulary: Vocabulary, problems: Problems) -> Instructions:
    """Everything that the files say as far as it is sound, and all mistakes."""
    check_sources(project.sources, problems)
    table: dict[str, list[Header]] = {}
    for header in files.headers:
        table.setdefault(header.name.value, []).append(header)
    check_headers(files.headers, problems)
    circular = report_cycles(files.headers, table, problems)
    chains = {header.file: _chain(header, table) for header in files.headers if header.file not in circular}
    # What stands on a file that could not be read is not judged: its mistakes may all come from there.
    sound = [chain for chain in chains.values() if not files.unread.intersection(_base_names(chain))]
    based = {chain[0].file: check_base(chain[0], table, project.sources, problems) for chain in sound}
    trees = merged_trees((chain[0] for chain in sound), table)
    models: dict[str, Definition] = {}
    for chain in sound:
        problems.judge(chain[0].name, [member.name for member in chain[1:]])
        models[chain[0].file] = read_definition(chain[0], trees[chain[0].file], vocabulary, problems)
    brewables = []
    complete: list[list[Definition]] = []
    for chain in sound:
        problems.judge(chain[0].name, [member.name for member in chain[1:]])
        definitions = [models[member.file] for member in chain]
        is_complete = all(based[member.file] for member in chain)
        rhs = _check_one(definitions, project, vocabulary, problems) if is_complete else None
        complete += [definitions] * is_complete
        base = definitions[1] if len(definitions) > 1 else None
        files_of_bases = tuple(member.file for member in definitions[1:])
        brewables.append(Brewable(definitions[0], rhs, base, definitions[-1].base.value, files_of_bases))
    problems.judge(None)
    check_semantics(complete, project.sources, problems)
    check_mnemonics(((brewable.definition, brewable.rhs) for brewable in brewables), problems)
    unjudged = files.unread | {header.name.value for header in files.headers if header.file not in models}
    check_unnamed_wrappers(models.values(), unjudged, project.sources, problems)
    order = sorted(brewables, key=lambda b: (b.definition.dialect, b.definition.name.value))
    return Instructions(vocabulary, tuple(order), files.facts)


def _chain(header: Header, table: dict[str, list[Header]]) -> list[Header]:
    """The definition and those that it stands on, nearest first."""
    chain = [header]
    while base := find_base(chain[-1], table):
        chain.append(base)
    return chain


def _base_names(chain: list[Header]) -> set[str]:
    return {header.base.value for header in chain if header.base}


def _check_one(chain: list[Definition], project: Project, vocabulary: Vocabulary, problems: Problems) -> Rhs | None:
    definition = chain[0]
    check_wrapper(chain, project.sources, problems)
    check_functions(definition, project.sources, problems)
    if not definition.fields_are_known:
        return None
    check_fields(definition, problems)
    check_required(chain, project.sources, problems)
    check_clashes(definition, chain, project.sources, problems)
    check_constraints(definition, problems)
    check_contradictions(definition, problems)
    check_results(definition, vocabulary, problems)
    check_facts(definition, problems)
    check_serialize(definition, problems)
    check_renames(definition, problems)
    check_before(definition, problems)
    check_destination(definition, project.sources.takes_dst(chain[-1].base.value), problems)
    check_regions(definition, problems)
    check_memories(definition, vocabulary, problems)
    return check_rhs(definition, chain[1:], problems)
