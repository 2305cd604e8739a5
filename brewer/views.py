"""What the template of an instruction class is given: everything decided, nothing left to compute.

A method is part of a view only where the class needs its own. What would do nothing but call `super()` is absent.
"""

from __future__ import annotations

from functools import cached_property
from itertools import takewhile

from brewer.bir_views import SerializeView, serialize_view
from brewer.constructor_view import ConstructorView, constructor_kind, constructor_view
from brewer.docs_view import class_docstring, module_docstring
from brewer.field_views import FieldView, ap_indices_view, attribute_view, operand_view, region_name
from brewer.frozen import frozen
from brewer.info_view import info_view
from brewer.load import Brewable
from brewer.model import Definition
from brewer.python_sources import PythonSources
from brewer.python_text import listed
from brewer.result_views import NO_RULES, ResultsView, results_view
from brewer.rule_views import RuleView, rule_views
from brewer.text_view import rhs_lines
from brewer.vocabulary import Vocabulary


@frozen
class RegionView:
    slot: str
    property: str
    name: str


@frozen
class ClassView:
    """A generated class; each template takes the part that it is about."""

    # The module, the head of the class.
    file: str  # of the definition, and the line of it: the provenance marker
    line: int
    module_docstring: tuple[str, ...]
    name: str
    base: str
    base_module: str
    docstring: tuple[str, ...]
    slots: tuple[str, ...]
    constants: tuple[str, ...]
    info: tuple[str, ...]  # the keyword arguments of INFO
    # Fields, those of the bases first.
    fields: tuple[FieldView, ...]
    regions: tuple[RegionView, ...]
    # Methods; None where the base's serves.
    past: str  # the runtime class whose constructor is called past definitions in between; empty: super()'s
    constructor: ConstructorView | None
    dst_mode: str  # how it accesses what it writes, as Python text; empty where the base says so already
    rhs: tuple[str, ...]  # the lines of rhs_str
    results: ResultsView
    serialize: SerializeView | None
    rules: tuple[RuleView, ...]

    @property
    def properties(self) -> tuple[FieldView, ...]:
        """The fields that are declared here."""
        return tuple(field for field in self.fields if field.own or field.settles_dst)

    @cached_property
    def operands(self) -> tuple[FieldView, ...]:
        return tuple(field for field in self.fields if field.kind == "operand")

    @cached_property
    def _leading(self) -> tuple[FieldView, ...]:
        """The operands before the first that may be absent or several."""
        return tuple(takewhile(lambda field: not field.optional and not field.variadic, self.operands))

    @property
    def n_leading_operands(self) -> int:
        return len(self._leading)

    @property
    def leading_operands(self) -> str:
        """The list of them, as Python text."""
        return listed([f"self.{field.slot}" for field in self._leading], 8, len("ops = "))

    @property
    def has_optional_operands(self) -> bool:
        return any(field.optional for field in self.operands)

    @property
    def loading(self) -> tuple[FieldView, ...]:
        """The operands through which a tensor is read; none without memory."""
        return tuple(field for field in self.operands if field.loads)

    @property
    def storing(self) -> tuple[FieldView, ...]:
        """The operands through which a tensor is written; none without memory."""
        return tuple(field for field in self.operands if field.stores)

    @property
    def own_operands(self) -> bool:
        """Whether the methods about all operands are needed anew."""
        return any(field.own for field in self.operands)

    @property
    def ap_indices(self) -> tuple[FieldView, ...]:
        return tuple(field for field in self.fields if field.kind == "indices")

    @property
    def own_ap_indices(self) -> tuple[FieldView, ...]:
        return tuple(field for field in self.ap_indices if field.own)

    @property
    def new_rules(self) -> tuple[RuleView, ...]:
        """The rules that no inherited verify calls."""
        return tuple(rule for rule in self.rules if not rule.inherited)


def class_view(brewable: Brewable, vocabulary: Vocabulary, sources: PythonSources) -> ClassView:
    definition, base = brewable.definition, brewable.base
    init = next(found.init for found in sources.lineage(brewable.root) if found.init)
    in_memory = any(parameter.name == "dst" for parameter in init)
    fields = _fields(definition, in_memory)
    own = tuple(field for field in fields if field.own)
    own_regions = base is None or definition.regions != base.regions
    own_results = base is None or definition.results != base.results
    regions = tuple(_region(region.name.value) for region in definition.regions) if own_regions else ()
    constructs = base is None or bool(own or regions) or constructor_kind(definition) != constructor_kind(base)
    serializes = bool(own) or (base is not None and definition.serialize != base.serialize)
    base_name, base_module = _base_class(brewable, sources)
    return ClassView(
        file=definition.file,
        line=definition.line,
        module_docstring=module_docstring(definition),
        name=f"{definition.name}Gen",
        base=base_name,
        base_module=base_module,
        docstring=class_docstring(definition, in_memory, sources),
        slots=_slots(own, regions, base),
        constants=_constants(definition, in_memory),
        info=info_view(brewable, frozenset(dict(vocabulary.dtype_groups)), in_memory, sources),
        fields=fields,
        regions=regions,
        past="" if base is None else brewable.root,
        constructor=constructor_view(definition, fields, init) if constructs else None,
        dst_mode=_dst_mode(definition, base),
        rhs=rhs_lines(brewable),
        results=results_view(definition, vocabulary.dtypes, sources.inference) if own_results else NO_RULES,
        serialize=serialize_view(definition, fields) if serializes else None,
        rules=rule_views(definition, base),
    )


def _dst_mode(definition: Definition, base: Definition | None) -> str:
    accumulates = definition.dst.accumulates
    if str(accumulates) == str(base.dst.accumulates if base else False):
        return ""
    if isinstance(accumulates, bool):
        return "AccessMode.LOAD_STORE" if accumulates else "AccessMode.STORE"
    optional = accumulates.value in definition.optional_fields
    holds = f"self._{accumulates} is None" if optional else f"not self._{accumulates}"
    return f"AccessMode.STORE if {holds} else AccessMode.LOAD_STORE"


def _fields(definition: Definition, in_memory: bool) -> tuple[FieldView, ...]:
    return (
        *(operand_view(definition, operand, in_memory) for operand in definition.operands),
        *(attribute_view(definition, attribute) for attribute in definition.attributes),
        *(ap_indices_view(definition, indices) for indices in definition.ap_indices),
    )


def _region(name: str) -> RegionView:
    return RegionView(f"_{name}", region_name(name), name)


def _slots(own: tuple[FieldView, ...], regions: tuple[RegionView, ...], base: Definition | None) -> tuple[str, ...]:
    inherited = {f"_{field.name}" for field in base.fields} if base else set()
    return tuple(sorted({field.slot for field in own} - inherited | {region.slot for region in regions}))


def _constants(definition: Definition, in_memory: bool) -> tuple[str, ...]:
    hint = definition.engines.hint
    lines = [f"engine_hint = NeuronEngine.{hint.upper()}"] if in_memory and hint else []
    return (*lines, *["is_terminator = True"] * (("terminator", True) in definition.capabilities))


def _base_class(brewable: Brewable, sources: PythonSources) -> tuple[str, str]:
    base = brewable.base
    if base is None:
        return brewable.root, sources.classes[brewable.root].module
    if base.wrapper:
        return base.wrapper.value, sources.wrappers[base.wrapper.value].module
    return f"{base.name}Gen", f"{sources.modules.package}.{base.dialect}.{base.name}Gen"
