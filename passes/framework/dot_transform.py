"""`DotTransform`: a pass that is called for every statement, by the name of its class.

    class DropCopies(DotTransform):
        pass_name = "drop-copies"

        def transformTensorCopyOp(self, copy: TensorCopyOp) -> bool: ...

For a statement, the hook of the first of its classes that has one is called: a `MatMulOp` goes to `transformMatMulOp`,
else to the hooks of its bases (`transformNeuronInst`), at last to `transformInstruction`. A loop goes to
`transformLoop`. A class is called by the name of its definition, in dialects other than `neuron` with the dialect in
front, `transform_graph_Cast`. A hook that no class has is refused when the pass is made.

What a pass says of itself, beside the docstring, is held against what it does (tests/passes/laws.py). A pass that says
nothing promises that the program computes the same values as before, bit for bit. One that changes roundings names the
instructions in `removed_roundings` and `added_roundings`: the promise is then that the program before, run without the
former, gives what the program after gives without the latter. `why_kept` says what a reader may wonder about. A pass
that asks `may_rewrite()` before each rewrite can be stopped after any of them (`rewrite_limit.py`). One that cannot,
since half of what it does to a function is wrong, says `stops_at = "function"`.

Deliberately absent: order other than program order, and repetition; the pass manager repeats where it is asked to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass
from inspect import get_annotations
from typing import Any, ClassVar

from passes.framework.failure import place_of_function
from passes.framework.hooks import hook_name, why_not_hooks
from passes.framework.options import NoOptions
from passes.framework.rewrite_limit import RewriteLimit
from runtime.blocks import Block, Statement
from runtime.diagnostics import Note
from runtime.functions import Function, Module
from runtime.garbage import paused_gc
from runtime.instructions import Instruction

Hook = Callable[[Any], bool | None]
Entered = Callable[[Function, int, int], None]  # a function is taken up, the first, second ... of so many


class TransformError(Exception):
    """A pass cannot do its work on this program; the pass manager takes back what it had done."""


class DotTransform:
    """A pass. Its docstring's first line is its help.

    A hook returns whether it changed anything, or None where it has set `changed` itself. It may erase the statement
    that it is given, and any other; what it inserts further on in the same block is visited too.
    """

    pass_name: ClassVar[str] = ""  # in pipelines
    stops_at: ClassVar[str] = "rewrite"  # or "function": what is not told apart any further when it is stopped early
    Options: ClassVar[type] = NoOptions

    options: Any
    pipeline_text: str = ""  # as it stands in a pipeline, with the options given, where it comes from one
    pipelines: tuple[str, ...] = ()  # the pipelines with a name that it is part of, the innermost one first
    begins: tuple[str, ...] = ()  # those of them whose first pass it is
    ends: tuple[str, ...] = ()  # those whose last pass it is
    changed: bool  # whether this run has changed anything so far
    removed_roundings: Sequence[Instruction] = ()  # of the program before: their results are not rounded any more
    added_roundings: Sequence[Instruction] = ()  # of the program after: their results are rounded, and were not before
    rewrite_limit: RewriteLimit | None = None  # whoever runs this may set it
    on_function: Entered | None = None  # called with each function before it is transformed

    def __init__(self, **options: object) -> None:
        self._check_options()
        self.options = self.Options(**options)
        self.changed = False
        self._hooks: dict[type[Statement], Hook | None] = {}
        self._check_hooks()

    def runOnModule(self, module: Module) -> bool:
        """Transform every function, and return whether anything changed."""
        self.changed, changed = False, False
        functions = tuple(module.functions.values())
        with paused_gc():
            for number, function in enumerate(functions, 1):
                if self.on_function is not None:
                    self.on_function(function, number, len(functions))
                if self._run_limited(function):
                    changed = True
        self.changed = changed
        return changed

    def runOnFunction(self, function: Function) -> bool:
        """Transform one function, and return whether it changed."""
        self.changed = False
        self.beforeStmtTransform(function)
        self.changed |= self.transformStmts(function)
        self.afterStmtTransform(function)
        return self.changed

    def may_rewrite(self) -> bool:
        """Ask before each rewrite; where the answer is False, leave the program as it is."""
        return self.rewrite_limit is None or self.rewrite_limit.take()

    def beforeStmtTransform(self, f: Function) -> None:
        """Do what comes before the statements of a function."""

    def afterStmtTransform(self, f: Function) -> None:
        """Do what comes after the statements of a function."""

    def why_kept(self, f: Function) -> Iterator[tuple[Statement, str]]:
        """Yield each statement that this leaves as it is where one may expect otherwise, and why; asked after a run."""
        return iter(())

    def notes_on(self, f: Function) -> Iterator[tuple[Statement, str]]:
        """Yield each statement that this changed in a way that a reader may want to look at, and why; as `why_kept`."""
        return iter(())

    def transformStmts(self, f: Function) -> bool:
        """Transform the statements of a function in program order, and return whether anything changed."""
        self.transformBlock(f.body)
        return self.changed

    def transformBlock(self, block: Block) -> None:
        """Transform the statements of a block, each before what is inside it, which is entered as in `Block.walk`."""
        for statement in block:
            self.transform(statement)
            if statement.parent is not None:
                for inner in statement.blocks:
                    self.transformBlock(inner)

    def transform(self, statement: Statement) -> None:
        """Call the hook for the class of a statement, if there is one."""
        cls = type(statement)
        if cls not in self._hooks:
            self._hooks[cls] = self._hook_for(cls)
        hook = self._hooks[cls]
        if hook is None:
            return
        if self.rewrite_limit is not None:
            self._call_limited(hook, statement, self.rewrite_limit)
        elif hook(statement):
            self.changed = True

    def dropDeadTensors(self, f: Function) -> bool:
        """Remove the tensors of a function that nothing accesses; inputs, outputs and constants stay."""
        dropped = bool(f.dropDeadTensors())
        self.changed |= dropped
        return dropped

    def _run_limited(self, function: Function) -> bool:
        """Transform a function unless the limit is reached."""
        limit = self.rewrite_limit
        if limit is None:
            return self.runOnFunction(function)
        if limit.is_reached:
            return False
        limit.function, before = function.name, limit.done
        changed = self.runOnFunction(function)
        limit.settle(before, changed)
        return changed

    def _call_limited(self, hook: Hook, statement: Statement, limit: RewriteLimit) -> None:
        """Call a hook unless the limit is reached; what it changes counts, whether it asks or not."""
        if limit.is_reached:
            return
        earlier, before = self.changed, limit.done
        self.changed = False
        fired = bool(hook(statement)) or self.changed  # which the hook may have set
        limit.settle(before, fired)
        self.changed = fired or earlier

    def _hook_for(self, cls: type[Statement]) -> Hook | None:
        for base in cls.__mro__:
            hook: Hook | None = getattr(self, hook_name(base) or "", None)
            if hook is not None:
                return hook
        return None

    def _check_options(self) -> None:
        """Refuse a class that says of which class its options are, but does not make them so."""
        bases = type(self).__mro__[: type(self).__mro__.index(DotTransform)]
        name = next((found for base in bases if (found := get_annotations(base).get("options"))), None)
        if name is not None and self.Options is NoOptions:
            shown = name if isinstance(name, str) else name.__name__
            raise TypeError(f"{type(self).__name__} has `options: {shown}`, but not `Options = {shown}`")
        if not is_dataclass(self.Options):
            raise TypeError(f"{self.Options.__name__}, the options of {type(self).__name__}, is no dataclass")

    def _check_hooks(self) -> None:
        """Refuse a class with a misspelt hook, which would never be called."""
        framework = {
            name
            for base in type(self).__mro__
            if base.__module__.startswith("passes.framework.")
            for name in vars(base)
        }
        hooks = {name for name in dir(type(self)) if name.startswith("transform")} - framework
        reasons = why_not_hooks(hooks)
        if reasons:
            error = TypeError("\n".join(f"{type(self).__name__}: {reason}" for reason in reasons.values()))
            for hook in reasons:
                error.add_note(Note(f"here is {hook}", place_of_function(getattr(type(self), hook))).render())
            raise error
