"""The methods of a generated class that find the types of its results."""

from __future__ import annotations

from collections.abc import Container, Mapping

from brewer.constructor_view import has_rule
from brewer.field_views import dtype_code
from brewer.frozen import frozen
from brewer.model import Definition, Dim, Operand, Result, Text
from brewer.python_sources import PythonFunction
from brewer.python_text import docstring, literal


@frozen
class BoundOperand:
    """An operand whose extents a result has."""

    name: str
    rank: int


@frozen
class ResultRuleView:
    """A method that returns the type of one result, in one of three ways."""

    name: str
    same_as: str = ""  # the operand whose type it is
    variadic: bool = False  # whether it returns the types of any number of results
    function: str = ""  # of runtime/infer/
    arguments: tuple[str, ...] = ()  # that the function gets
    dtype: str = ""  # the element type, where the rule gives dtype and shape
    shape: str = ""
    bound: tuple[BoundOperand, ...] = ()  # operands whose extents the shape names


@frozen
class ResultAccessorView:
    """A property that gives one of several results, or those of one name."""

    name: str
    holds: str  # its type
    value: str
    doc: tuple[str, ...]


@frozen
class ResultsView:
    rules: tuple[ResultRuleView, ...]
    together: tuple[str, ...]  # what infer_result_types returns, where there are several results
    accessors: tuple[ResultAccessorView, ...] = ()


NO_RULES = ResultsView((), ())


def results_view(
    definition: Definition, dtypes: Container[str], inference: Mapping[str, PythonFunction]
) -> ResultsView:
    many = definition.has_many_results
    ruled = [result for index, result in enumerate(definition.results) if has_rule(definition, index)]
    rules = tuple(
        _rule(definition, result, f"_infer_{result.name}" if many else "infer_result_type", dtypes, inference)
        for result in ruled
    )
    complete = many and len(ruled) == len(definition.results)
    together = tuple(f"{'*' * rule.variadic}self.{rule.name}()" for rule in rules) if complete else ()
    return ResultsView(rules, together, _accessors(definition))


def _accessors(definition: Definition) -> tuple[ResultAccessorView, ...]:
    """Where there are several results, each by its name; those of any number are as many as their operands."""
    if len(definition.results) < 2:
        return ()
    found: list[ResultAccessorView] = []
    place: list[str] = []  # how many results stand in front, in parts
    fixed = 0
    for result in definition.results:
        start = " + ".join([*place, *([str(fixed)] if fixed or not place else [])])
        if result.variadic:
            count = f"len(self._{result.same_as})" if result.same_as else ""
            end = " + ".join([*place, count, *([str(fixed)] if fixed else [])]) if count else ""
            value, holds = f"self.results[{_slice('' if start == '0' else start, end)}]", "tuple[Value, ...]"
            place.append(count)
        elif not found:
            value, holds = "self", "Value"
            fixed += 1
        else:
            value = f"self._{'optional_' * result.optional}result({start})"
            holds = "Value | None" if result.optional else "Value"
            fixed += 1
        doc = result.doc or f"Result `{result.name}`."
        found.append(ResultAccessorView(result.name.value, holds, value, tuple(docstring([doc], 8))))
    return tuple(found)


def _slice(start: str, end: str) -> str:
    """A slice as black writes it: with spaces beside what is no plain number."""
    spaces = [" " * bool(part and not part.isdecimal()) for part in (start, end)]
    before, behind = (" " * bool(part and any(spaces)) for part in (start, end))
    return f"{start}{before}:{behind}{end}"


def _rule(
    definition: Definition,
    result: Result,
    name: str,
    dtypes: Container[str],
    inference: Mapping[str, PythonFunction],
) -> ResultRuleView:
    if result.same_as:
        return ResultRuleView(name, same_as=result.same_as.value, variadic=result.variadic)
    if result.infer:
        parameters = inference[result.infer.value].parameters
        arguments = tuple(_argument(definition, result, parameter, dtypes) for parameter in parameters)
        return ResultRuleView(name, function=result.infer.value, arguments=arguments)
    assert result.dtype is not None and result.shape is not None
    dtype = _dtype_of(definition, result.dtype, dtypes)
    if isinstance(result.shape, Text):
        return ResultRuleView(name, dtype=dtype, shape=f"self._{result.shape}.type.shape")
    shape, bound = _bound_shape(definition, result.shape)
    return ResultRuleView(name, dtype=dtype, shape=shape, bound=bound)


def _argument(definition: Definition, result: Result, name: str, dtypes: Container[str]) -> str:
    """Inference functions get the types of operands and the values of attributes."""
    operand = _operand(definition, name)
    if operand is None:
        return _dtype_of(definition, result.dtype, dtypes) if name == "dtype" and result.dtype else f"self._{name}"
    if operand.variadic:
        return f"tuple(operand.type for operand in self._{name})"
    return f"None if self._{name} is None else self._{name}.type" if operand.optional else f"self._{name}.type"


def _dtype_of(definition: Definition, dtype: Text, dtypes: Container[str]) -> str:
    if dtype.value in dtypes:
        return literal(dtype_code(dtype.value), 0)
    return f"self._{dtype}.type.dtype" if _operand(definition, dtype.value) else f"self._{dtype}"


def _bound_shape(definition: Definition, shape: tuple[Dim, ...]) -> tuple[str, tuple[BoundOperand, ...]]:
    """Letters become extents of the first operand that has them; its rank must be what its letters say."""
    places: dict[str, tuple[BoundOperand, int]] = {}
    for operand in definition.operands:
        for index, dim in enumerate(operand.shape or ()):
            if isinstance(dim, str) and not operand.optional and not operand.variadic:
                places.setdefault(dim, (BoundOperand(operand.name.value, len(operand.shape or ())), index))
    used = dict.fromkeys(places[dim][0] for dim in shape if isinstance(dim, str))
    extents = [f"{places[dim][0].name}[{places[dim][1]}]" if isinstance(dim, str) else str(dim) for dim in shape]
    return f"({', '.join(extents)}{',' * (len(extents) == 1)})", tuple(used)


def _operand(definition: Definition, name: str) -> Operand | None:
    return next((operand for operand in definition.operands if operand.name.value == name), None)
