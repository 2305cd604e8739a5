"""From the text of a pipeline to passes that are ready to run."""

from __future__ import annotations

from dataclasses import dataclass, field

from passes.framework.dot_transform import DotTransform
from passes.framework.failure import failure_of
from passes.framework.options import OptionValueError, UnknownOptionError, options_from_text
from passes.framework.pass_manager import Fixpoint, Step
from passes.framework.pipeline import FIXPOINT, FixpointSpec, PassSpec, Spec, Word, pipeline_diagnostic, read_pipeline
from passes.framework.target_lowering import TargetLowering
from passes.registry import PASSES, load_pass
from runtime.diagnostics import Diagnostic, DiagnosticsError, did_you_mean, either
from runtime.targets import Target


def build_pipeline(text: str, target: Target | None = None, file: str = "<passes>") -> tuple[Step, ...]:
    """Return the steps of the pipeline `text`, for `target`; None means for every target.

    Raises: DiagnosticsError with every name and value that is wrong; `file` is what the text is called in messages.
    PassFailure where a pass cannot be loaded or made.
    """
    builder = _Builder(text, file, target)
    steps = tuple(builder.step(spec) for spec in read_pipeline(text, file))
    if builder.mistakes:
        raise DiagnosticsError(builder.mistakes)
    return steps


@dataclass
class _Builder:
    text: str
    file: str
    target: Target | None
    mistakes: list[Diagnostic] = field(default_factory=list)

    def step(self, spec: Spec) -> Step:
        if isinstance(spec, FixpointSpec):
            return Fixpoint(tuple(self.step(inner) for inner in spec.steps))
        if spec.name.text not in PASSES:
            help = did_you_mean(spec.name.text, [*PASSES, FIXPOINT]) or f"there are {either(PASSES, 'and')}"
            self._report("P002", f'there is no pass "{spec.name.text}"', spec.name, help)
            return DotTransform()
        return self._pass(load_pass(spec.name.text), spec)

    def _pass(self, cls: type[DotTransform], spec: PassSpec) -> DotTransform:
        values: dict[str, object] = {}
        for name, word in spec.options:
            if name.text in values:
                self._report("P004", f'option "{name.text}" is given twice', name)
                continue
            values[name.text] = None
            try:
                values.update(options_from_text(cls.Options, {name.text: word.text}))
            except OptionValueError as error:
                self._report("P005", str(error), word, did_you_mean(word.text, error.known))
            except UnknownOptionError as error:
                has = f"{cls.pass_name} has {either(error.known, 'and') or 'no options'}"
                help = did_you_mean(name.text, error.known) or has
                self._report("P003", f"{cls.pass_name}: {error}", name, help)
        if self.mistakes:
            return DotTransform()
        try:
            return cls(self.target, **values) if issubclass(cls, TargetLowering) else cls(**values)
        except Exception as error:  # a misspelt hook, or whatever else the constructor of a pass may raise
            raise failure_of(cls.pass_name, error, cls, did="cannot be made") from error

    def _report(self, code: str, message: str, word: Word, help: str = "") -> None:
        self.mistakes.append(pipeline_diagnostic(code, message, word, self.text, self.file, help))
