"""A run after one that was complete, in which nothing but definitions has changed: only what depends on them is done.

Definitions that are what they were, and stand on what they stood on, are neither read nor rendered. What all of them
must agree on (names, mnemonics, bases, the table) is looked at in words that the last run has kept.

Deliberately absent: messages about mistakes. At the first doubt this gives up, and a complete run says what is wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from brewer.brewing import known_precedents, known_templates, others_below_generated
from brewer.cache import State, add_written, write_state
from brewer.compiled_templates import CompiledTemplates
from brewer.definition_files import load_headers
from brewer.fingerprints import Fingerprints, are_inputs_as_before, digest_of
from brewer.formatting import Formatter
from brewer.frozen import frozen
from brewer.listing import Listed, list_definition
from brewer.load import Instructions, load_part
from brewer.memory import Memory
from brewer.places import Places
from brewer.plan import Plan, Planner
from brewer.problems import Problems
from brewer.project import Project
from brewer.rendering import Rendered, Renderer
from brewer.report import NotSaid, say, unchanged_line, written_lines
from brewer.writing import NotWritten, carry_out
from runtime.diagnostics import DiagnosticsError

Words = dict[str, Listed]
"""What is known of each definition, by its file."""


class _Doubt(Exception):
    """A complete run must decide."""


@frozen
class _Work:
    """Which definitions a run has to look at, by their files."""

    known: Words  # those that were there
    removed: frozenset[str]
    rendered: frozenset[str]  # those whose modules may differ from what stands there
    read: frozenset[str]  # and all that these stand on

    @property
    def kept(self) -> Words:
        return {file: words for file, words in self.known.items() if file not in self.removed}


@frozen
class _Run:
    """One run: where, and what it starts from."""

    project: Project
    memory: Memory
    now: Fingerprints
    state: State

    def brew(self) -> list[str]:
        """Does it all; gives what is to be said.

        Raises: _Doubt and DiagnosticsError, before anything is written; NotWritten.
        """
        work = self._find_work()
        instructions = load_part(self.project, work.read, _names(self._unread(work)))
        words = self._agreed(work, instructions)
        planner = Planner(self.project, Problems(), self.memory, Formatter(known_precedents(self.memory)))
        compiled = known_templates(self.memory)
        changes = [c for file in self._render(work, instructions, words, compiled) if (c := planner.change_of(file))]
        gone = [work.known[file].output for file in work.removed]
        changes += [change for path in gone if (change := planner.removal_of(path))]
        planner.report()
        _doubt_if(bool(planner.problems.found) or any(change.edited for change in changes))
        new = {path: digest_of(text.encode()) for path, text in planner.texts.items()}
        outputs = {**{path: digest for path, digest in self.state.outputs.items() if path not in gone}, **new}
        plan = Plan(tuple(sorted(changes, key=lambda change: change.path)), len(outputs))
        said = unchanged_line(len(words), len(outputs), self.project.output)
        add_written(self.memory.root, [*new.values(), *(digest_of(text.encode()) for text in plan.replaced)])
        carry_out(plan, self.project)
        tool, places = str(Project.of_this_tool().root), self.memory.places
        if are_inputs_as_before(self.memory.root, tool, self.now, work.read, places):
            others = others_below_generated(self.now, outputs, plan)
            precedents = sorted(planner.formatter.precedents.units)
            definitions = {file: listed.words for file, listed in words.items()}
            state = State(self.now.inputs, outputs, others, definitions, precedents, places=places.line())
            write_state(self.memory.root, state, said)
            if compiled:
                compiled.keep()
        return [said] if plan.is_clean else written_lines(plan)

    def _find_work(self) -> _Work:
        before, now = self.state.inputs, self.now.inputs
        changed = {name for name in before.keys() | now.keys() if before.get(name) != now.get(name)}
        # Documents of facts, the vocabulary, templates, sources of the runtime, releases: everything depends on them.
        _doubt_if(
            any(self._dialect_of(n) is None or (n in before and n not in self.state.definitions) for n in changed)
        )
        known = {file: Listed(*words) for file, words in self.state.definitions.items()}
        removed = changed - now.keys()
        there = (known.keys() | changed) - removed
        _doubt_if({words.dialect for words in known.values()} != {self._dialect_of(file) for file in there})
        # A name that is new or gone may be the base of others, or may be that of several dialects now.
        names = {_stem(file) for file in changed if file not in known or file in removed}
        moved = changed | {file for file, words in known.items() if words.base in names}
        depending = {file for file, words in known.items() if not moved.isdisjoint(words.bases.split())}
        rendered = (moved | depending | self._touched(known)) - removed
        return _Work(known, frozenset(removed), frozenset(rendered), self._with_bases(rendered, changed, there, known))

    def _dialect_of(self, name: str) -> str | None:
        """The folder of a definition; None for other inputs."""
        below = f"{self.memory.places.definitions}/"
        dialect, slash, file = name.removeprefix(below).partition("/")
        is_one = name.startswith(below) and slash and "/" not in file and file.endswith(".yaml")
        return dialect if is_one else None

    def _touched(self, known: Words) -> set[str]:
        """The definitions whose modules are not what brewer left."""
        before, now = self.state.outputs, self.now.outputs
        _doubt_if(any(p not in before and self.state.others.get(p) != digest for p, digest in now.items()))
        owners = {words.output: file for file, words in known.items()}
        touched = [path for path, digest in before.items() if now.get(path) != digest]
        _doubt_if(any(path not in owners for path in touched))
        return {owners[path] for path in touched}

    def _with_bases(self, files: set[str], changed: set[str], there: set[str], known: Words) -> frozenset[str]:
        """The files, and every file whose definition bears the name of the base of one of them, and so on."""
        problems = Problems()
        headers = load_headers(self.project, problems, sorted(files & changed)).headers
        _doubt_if(bool(problems.found) or len(headers) != len(files & changed))
        bases = {file: known[file].base for file in there - changed}
        bases.update((header.file, header.base.value if header.base else "") for header in headers)
        named: dict[str, list[str]] = {}
        for file in there:
            named.setdefault(_stem(file), []).append(file)
        found, waiting = set(files), list(files)
        while waiting:
            further = set(named.get(bases[waiting.pop()], ())) - found
            found |= further
            waiting.extend(further)
        return frozenset(found)

    def _unread(self, work: _Work) -> Words:
        return {file: words for file, words in work.kept.items() if file not in work.read}

    def _agreed(self, work: _Work, instructions: Instructions) -> Words:
        """The words about all definitions, once it is sure that no two of them are in each other's way."""
        sources = self.project.sources
        read = {each.definition.file: list_definition(each, sources) for each in instructions.brewables}
        _doubt_if(bool(instructions.facts) or read.keys() != work.read)
        _doubt_if(any(read[file] != work.known[file] for file in work.read - work.rendered))
        words = {**self._unread(work), **read}
        names = {(each.dialect, each.name.lower()) for each in words.values()}
        mnemonics = [each.mnemonic for each in words.values() if each.mnemonic]
        _doubt_if(len(names) < len(words) or len(set(mnemonics)) < len(mnemonics))
        return words

    def _render(
        self, work: _Work, instructions: Instructions, words: Words, compiled: CompiledTemplates | None
    ) -> Iterable[Rendered]:
        renderer = Renderer(self.project, instructions, Problems(), compiled)
        files = renderer.render_modules(b for b in instructions.brewables if b.definition.file in work.rendered)
        if words != work.known:
            table = renderer.render_table(sorted(words.values(), key=lambda each: (each.dialect, each.name)))
            files += [table] if table else []
        renderer.report()
        _doubt_if(bool(renderer.problems.found))
        return files


def brew_what_changed(root: str, now: Fingerprints, places: Places) -> int | None:
    """Brings generated/ up to date, says so, and gives the exit code; None where a complete run must decide.

    In that case nothing has happened yet.
    """
    try:
        project = _project_at(Path(root), places)
        memory = Memory(project, now)
        if memory.state is None or memory.now is None:
            return None
        say(_Run(project, memory, now, memory.state).brew(), sys.stdout)
    except NotWritten as error:
        from brewer.command_line import say_not_written  # here, since most runs have no use for its arguments

        say_not_written(error)
        return 2
    except NotSaid as error:
        say([str(error)], sys.stderr)
        return 2
    except (_Doubt, DiagnosticsError, OSError):
        return None
    return 0


def _project_at(root: Path, places: Places) -> Project:
    if not places.is_foreign:
        return Project(root)
    from brewer.find_project import find_project  # here, since reading settings takes time

    project = find_project(root, root)
    _doubt_if(project.places.line() != places.line())
    return project


def _doubt_if(reason: bool) -> None:
    if reason:
        raise _Doubt


def _names(words: Words) -> set[str]:
    return {each.name for each in words.values()}


def _stem(file: str) -> str:
    return file.rpartition("/")[2].removesuffix(".yaml")
