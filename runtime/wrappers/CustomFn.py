"""What a function with derivatives of its own asks of the functions that compute them."""

from __future__ import annotations

from collections.abc import Iterator

from generated.graph.CustomFnGen import CustomFnGen
from runtime.diagnostics import did_you_mean
from runtime.fitting import counted
from runtime.instructions import Problem


class CustomFn(CustomFnGen):
    """A region whose derivatives are functions of the module, with as many arguments as they are given."""

    __slots__ = ()

    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
        inputs, outputs = len(self.inputs), len(self.results)
        yield from self._why_not_called("vjp", self.vjp, (inputs + 2 * outputs,))
        yield from self._why_not_called("jvp", self.jvp, (2 * inputs, 2 * inputs + outputs))

    def _why_not_called(self, field: str, name: str | None, counts: tuple[int, ...]) -> Iterator[Problem]:
        function = self.parent_function
        module = function.module if function is not None else None
        if name is None or module is None:
            return
        called = module.functions.get(name)
        if called is None:
            near = did_you_mean(name, module.functions)
            yield Problem(f'the module has no function "{name}"' + (f"; {near}" if near else ""), field)
        elif len(called.args) not in counts:
            wanted = " or ".join(map(str, dict.fromkeys(counts)))
            yield Problem(f"@{name} takes {counted(len(called.args), 'argument')}; it is given {wanted}", field)
