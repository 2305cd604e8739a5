"""`NumericsJudge`: after each pass, runs the program before and the one after it on the exact interpreter.

The two must agree bit for bit where the first is run without the pass's `removed_roundings`, and the second without its
`added_roundings`. What a pass has left as it was, is not run again.

Deliberately absent: trust in `changed`. A pass that changes the program and says that it did not is a failure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from passes.framework.dot_transform import DotTransform
from passes.framework.pass_manager import Judge
from passes.numerics.inputs import InputSet, given_inputs, sets_of, unrunnable
from passes.numerics.origin import where_it_comes_from
from passes.numerics.runs import Outputs, entries_of, outputs_of
from passes.numerics.stated import Earlier, Rounded, Stated
from runtime.comparison.outputs import first_difference
from runtime.diagnostics import Diagnostic, DiagnosticsError, Note, listed
from runtime.equality import why_different
from runtime.functions import Module
from runtime.instructions import Instruction
from runtime.interpreter.errors import InputError, InterpreterError, MissingSemanticsError

_NONE: tuple[Rounded, Rounded] = (frozenset(), frozenset())


class NumericsJudge(Judge):
    """Runs what comes before and after a pass.

    `given` are the inputs of the function that a caller runs; None: they are generated, for each function that no other
    one calls. `gave_up` is told once why a program cannot be run,
    and from then on everything is believed; None: that is an error. To `explain` where a difference comes from takes
    longer than to find it.
    """

    def __init__(
        self,
        given: Mapping[str, Any] | None = None,
        *,
        seed: int = 0,
        gave_up: Callable[[str], None] | None = None,
        explain: bool = True,
    ) -> None:
        self._given = given
        self._seed = seed
        self._gave_up = gave_up
        self._explain = explain
        self.sets: list[InputSet] | None = None  # chosen when the first pass runs
        self._is_off = False
        self._n_passes = self._n_changes = 0
        self._known: dict[int, Outputs] = {}  # by set: what the program gives as it stands between two passes
        self._originals: dict[Instruction, Instruction] = {}
        self._earlier = Earlier((), ())

    def begin(self, transform: DotTransform, module: Module, before: Module) -> None:
        if self._is_off:
            return
        if self.sets is None:
            try:
                self.sets = self._choose(before)
            except DiagnosticsError as error:
                self._give_up(error)
                return
        self._originals = dict(zip(module.insts, before.insts, strict=True))
        self._earlier = Earlier.of(transform)

    def judge(self, transform: DotTransform, module: Module, before: Module, changed: bool) -> Sequence[Diagnostic]:
        if self._is_off:
            return ()
        try:
            return self._judge(transform, module, before, changed)
        except DiagnosticsError as error:
            self._give_up(error)
            return ()
        finally:
            self._originals = {}

    def _judge(self, transform: DotTransform, module: Module, before: Module, changed: bool) -> Sequence[Diagnostic]:
        difference = why_different(before, module)
        self._n_passes += 1
        if difference is None:
            return ()
        self._n_changes += 1
        if not changed:
            return [Diagnostic("P036", f"it says that it changed nothing, and changed the program: {difference}")]
        stated = Stated.since(self._earlier, transform, module, self._originals)
        if stated.strangers:
            return [Diagnostic("P035", text) for text in stated.strangers]
        by_function = stated.by_function()
        known, self._known = self._known, {}
        for number, one in enumerate(self.sets or ()):
            wrong = self._judge_on(
                number, one, transform, (before, module), by_function.get(one.function, _NONE), known
            )
            if wrong is not None:
                return [wrong]
        return ()

    @property
    def found(self) -> str:
        if self._is_off or self.sets is None:
            return ""
        ran = f"{self._n_passes} pass{'es' * (self._n_passes != 1)} ran, {self._n_changes} changed the program"
        if not self.sets:
            return f"numerics verified: {ran}; there is no function that could be run"
        on = listed(dict.fromkeys(one.called for one in self.sets), "and")
        return f"numerics verified: {ran}, and no result but by the roundings that are stated; on {on}"

    def _judge_on(
        self,
        number: int,
        one: InputSet,
        transform: DotTransform,
        programs: tuple[Module, Module],
        stated: tuple[Rounded, Rounded],
        known: Mapping[int, Outputs],
    ) -> Diagnostic | None:
        """Run both programs on one set of inputs, and return what is wrong."""
        (before, after), (removed, added) = programs, stated
        try:
            was = known.get(number) if not removed else None
            if was is None:
                was = outputs_of(before, one.function, one.arrays, removed)
        except InterpreterError as error:
            text = f"removed_roundings states what cannot be left out: {error}"
            return Diagnostic("P035", text)
        if one.function not in after.functions:
            return Diagnostic("P031", f"the function @{one.function} is gone, which nobody else calls")
        try:
            found = outputs_of(after, one.function, one.arrays, added, self._originals)
        except MissingSemanticsError as error:
            raise unrunnable(error, given=self._given is not None, after=transform.pass_name) from error
        except InterpreterError as error:
            did = "takes other inputs than before" if isinstance(error, InputError) else "can no longer be run"
            notes = (Note(f"on {one.called}"),)
            return Diagnostic("P031", f"the program that it left {did}: {error}", notes=notes)
        if not added:
            self._known[number] = found
        difference = first_difference(was, found)
        if difference is None:
            return None
        message = (
            f"{difference.label} of @{one.function}: {difference.message}; no rounding that the pass states explains it"
        )
        count = f"{difference.differing} of {difference.elements} elements differ, " if difference.differing else ""
        origin = where_it_comes_from(before, after, one, removed, added) if self._explain else ()
        return Diagnostic("P030", message, notes=(Note(f"{count}on {one.called}"), *origin))

    def _choose(self, module: Module) -> list[InputSet]:
        """Return the sets of inputs that the program which came in can be run on, and remember what it gives.

        Raises: DiagnosticsError where it cannot be run on those that it must be run on.
        """
        if self._given is not None:
            candidates = [given_inputs(module, self._given)]
        else:
            candidates = [one for function in entries_of(module) for one in sets_of(function, self._seed)]
        chosen: list[InputSet] = []
        for one in candidates:
            try:
                outputs = outputs_of(module, one.function, one.arrays)
            except InterpreterError as error:
                if one.may_fail and not isinstance(error, MissingSemanticsError):
                    continue
                raise unrunnable(error, given=self._given is not None) from error
            self._known[len(chosen)] = outputs
            chosen.append(one)
        return chosen

    def _give_up(self, error: DiagnosticsError) -> None:
        if self._gave_up is None:
            raise error
        self._is_off = True
        self._gave_up(str(error))
