"""From the text of a pipeline to passes that are ready to run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from passes.framework.dot_transform import DotTransform
from passes.framework.failure import failure_of
from passes.framework.options import (
    OptionFiles,
    OptionValueError,
    describe_options,
    file_forms,
    option_name,
    option_names,
    options_from_text,
)
from passes.framework.pass_manager import Fixpoint, Step, passes_of
from passes.framework.pipeline import FIXPOINT, FixpointSpec, PassSpec, Spec, Word, pipeline_diagnostic, read_pipeline
from passes.framework.target_lowering import TargetLowering
from passes.pipelines import PIPELINES
from passes.registry import PASSES, load_pass
from runtime.diagnostics import Diagnostic, DiagnosticsError, did_you_mean, either
from runtime.targets import Target

ROUNDS = "rounds"
_Given = Mapping[str, tuple[Word, Word]]  # the options that are given, by their names in Python


def build_pipeline(
    text: str,
    target: Target | None = None,
    file: str = "<passes>",
    defaults: Mapping[str, str] = MappingProxyType({}),
    files: OptionFiles | None = None,
) -> tuple[Step, ...]:
    """Return the steps of the pipeline `text`, for `target`; None means for every target.

    `defaults` are values of options, for every pass that has one of the name and that the text gives none. `files`
    reads the files that options name; a pipeline that names one needs it.

    Raises: DiagnosticsError with every name and value that is wrong; `file` is what the text is called in messages.
    PassFailure where a pass cannot be loaded or made.
    """
    builder = _Builder(text, file, target, defaults, files)
    steps = builder.steps(read_pipeline(text, file))
    if builder.mistakes:
        raise DiagnosticsError(builder.mistakes)
    return steps


def open_options(text: str, file: str = "<passes>") -> dict[str, dict[str, tuple[str, ...]]]:
    """Return, by pass, the options that the pipeline `text` leaves open; each with its values where they are listed.

    Raises: as `build_pipeline` does, but for what files are wrong, which are not read.
    """
    builder = _Builder(text, file, None, {}, _Unread(), is_made=False)
    builder.steps(read_pipeline(text, file))
    if builder.mistakes:
        raise DiagnosticsError(builder.mistakes)
    return builder.open


def known_names() -> tuple[str, ...]:
    """Return what may stand in a pipeline as the name of a step."""
    return (*PASSES, *PIPELINES, FIXPOINT)


def step_name(written: str) -> str:
    """Return the name of a pass or pipeline, which may be written with underscores, `auto_mixed_precision`."""
    name = written.replace("_", "-")
    return name if name in known_names() else written


class _Unread:
    """Reads no files, for pipelines of which nothing is made."""

    def read(self, name: str) -> str:
        return name

    def called(self, name: str) -> str:
        return name


@dataclass
class _Builder:
    text: str
    file: str
    target: Target | None
    defaults: Mapping[str, str]
    files: OptionFiles | None
    is_made: bool = True  # whether the passes are
    mistakes: list[Diagnostic] = field(default_factory=list)
    inside: tuple[str, ...] = ()  # the named pipelines around the step that is built
    open: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)

    def steps(self, specs: Iterable[Spec], given: _Given | None = None) -> tuple[Step, ...]:
        """Build steps; `given` are the options of the pipeline that they are the text of."""
        return tuple(step for spec in specs for step in self._step(spec, given or {}))

    def _step(self, spec: Spec, given: _Given) -> tuple[Step, ...]:
        if isinstance(spec, FixpointSpec):
            rounds = self._rounds(self._options(spec.options, FIXPOINT, (ROUNDS,)))
            return (Fixpoint(self.steps(spec.steps, given), **rounds),)
        name = step_name(spec.name.text)
        if name in PIPELINES:
            return self._pipeline(name, spec, given)
        if name not in PASSES:
            help = did_you_mean(name, known_names()) or f"there are {either((*PASSES, *PIPELINES), 'and')}"
            self._report("P002", f'there is no pass "{name}"', spec.name, help)
            return ()
        cls = load_pass(name)
        known = option_names(cls.Options)
        own = self._options(spec.options, name, known)
        return self._pass(cls, {**own, **{key: pair for key, pair in given.items() if key in known}})

    def _pass(self, cls: type[DotTransform], given: _Given) -> tuple[Step, ...]:
        values: dict[str, object] = {}
        for name, (_, word) in given.items():
            try:
                values.update(options_from_text(cls.Options, {name: word.text}, self.files))
            except DiagnosticsError as error:
                self.mistakes += error.diagnostics
            except OptionValueError as error:
                self._report("P005", str(error), word, did_you_mean(word.text, error.known))
        described = {each.name: each for each in describe_options(cls.Options) if each.name not in given}
        self.open.setdefault(cls.pass_name, {}).update((name, each.values) for name, each in described.items())
        defaults = {name: value for name, value in self.defaults.items() if name in described}
        values.update(options_from_text(cls.Options, defaults))
        if self.mistakes or not self.is_made:
            return ()
        try:
            made = cls(self.target, **values) if issubclass(cls, TargetLowering) else cls(**values)
        except Exception as error:  # a misspelt hook, or whatever else the constructor of a pass may raise
            raise failure_of(cls.pass_name, error, cls, did="cannot be made") from error
        written = {**{name: word.text for name, (_, word) in given.items()}, **defaults}
        for name, form in file_forms(cls.Options).items():
            if self.files is not None and form.is_file(written.get(name, "")):
                written[name] = self.files.called(written[name])
        options = " ".join(f"{name}={value}" for name, value in written.items())
        made.pipeline_text = f"{cls.pass_name}{{{options}}}" if options else cls.pass_name
        return (made,)

    def _pipeline(self, name: str, spec: PassSpec, given: _Given) -> tuple[Step, ...]:
        assert name not in self.inside, f"the pipeline {name} of passes/pipelines.py is part of itself"
        specs = read_pipeline(PIPELINES[name].text, name)
        known = sorted(_options_within(specs))
        own = self._options(spec.options, name, known)
        passed_on = {**own, **{key: pair for key, pair in given.items() if key in known}}
        return _marked(self._within(name).steps(specs, passed_on), name)

    def _within(self, name: str) -> _Builder:
        """Return the builder of a named pipeline: mistakes in the options that it got stand where they were given."""
        return replace(self, inside=(*self.inside, name))

    def _options(self, options: Iterable[tuple[Word, Word]], owner: str, known: Iterable[str]) -> _Given:
        """Return options by their names, without those that are unknown or come again."""
        known, found = tuple(known), dict[str, tuple[Word, Word]]()
        for name, word in options:
            key = option_name(name.text)
            if key not in known:
                has = f"{owner} has {either(known, 'and') or 'no options'}"
                help = did_you_mean(key, known) or has
                self._report("P003", f'{owner}: there is no option "{name.text}"', name, help)
            elif key in found:
                self._report("P004", f'option "{name.text}" is given twice', name)
            else:
                found[key] = (name, word)
        return found

    def _rounds(self, given: _Given) -> dict[str, int]:
        if ROUNDS not in given:
            return {}
        _, word = given[ROUNDS]
        if word.text.isascii() and word.text.isdecimal() and 0 < len(word.text) <= 9 and int(word.text):
            return {ROUNDS: int(word.text)}
        self._report("P005", f'option "{ROUNDS}" takes a whole number from 1 on, not "{word.text}"', word)
        return {}

    def _report(self, code: str, message: str, word: Word, help: str = "") -> None:
        self.mistakes.append(pipeline_diagnostic(code, message, word, self.text, self.file, help))


def _marked(steps: tuple[Step, ...], name: str) -> tuple[Step, ...]:
    """Return the steps of a pipeline, whose passes are told its name."""
    passes = tuple(passes_of(steps))
    for each in passes:
        each.pipelines += (name,)
    if passes:
        passes[0].begins += (name,)
        passes[-1].ends += (name,)
    return steps


def _options_within(specs: Iterable[Spec]) -> set[str]:
    """Return the names of the options of all passes in a pipeline."""
    found: set[str] = set()
    for spec in specs:
        if isinstance(spec, FixpointSpec):
            found |= _options_within(spec.steps)
        elif spec.name.text in PIPELINES:
            found |= _options_within(read_pipeline(PIPELINES[spec.name.text].text, spec.name.text))
        elif spec.name.text in PASSES:
            found |= set(option_names(load_pass(spec.name.text).Options))
    return found
