"""What an instruction class says of itself, as data: one frozen `InstructionInfo` a class, brewed from its definition.

The parser, the verifier, the BIR reader, the precision passes and the property tests read it, so none of them knows an
instruction by name. What runs by the million (constructors, `operands`, `replaceUseOfWith`, printing) is brewed as code
instead and does not look here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from runtime.access import AccessMode

Fact = bool | Mapping[str, tuple[str, ...]]  # a plain fact, or one that holds for these values of an enum attribute


@dataclass(frozen=True)
class OperandInfo:
    """One operand slot."""

    name: str
    access: AccessMode = AccessMode.LOAD
    optional: bool = False
    variadic: bool = False
    dtypes: tuple[str, ...] = ()  # names of the legal element types; empty: any
    memory: tuple[str, ...] = ()  # dram, sbuf, psum; empty: any; an SSA value has none
    rank: tuple[int, ...] = ()  # the legal numbers of dimensions; empty: any
    precision: str | None = None  # keep, f32 or index; None: the passes may convert it


@dataclass(frozen=True)
class ResultInfo:
    """One result, or any number of them."""

    name: str = "result"
    optional: bool = False  # it may be absent: its type is none then; never the first, which is the instruction
    variadic: bool = False
    free_dtype: bool = False  # whether the caller may choose its element type, as that of a cast
    same_as: str = ""  # the operand that has its type, where there is one; of a variadic result a variadic operand
    dtypes: tuple[str, ...] = ()  # names of the legal element types; empty: any
    rank: tuple[int, ...] = ()  # the legal numbers of dimensions; empty: any
    precision: str | None = None  # keep, f32 or index; None: the passes may convert it


@dataclass(frozen=True)
class DstInfo:
    """The tensor that an instruction writes through an access pattern, in place of giving a value."""

    use: str = "optional"  # required, optional or forbidden
    memory: tuple[str, ...] = ()  # empty: wherever an engine of the instruction writes
    dtypes: tuple[str, ...] = ()  # names of the legal element types; empty: any
    accumulates: bool | str = (
        False  # whether it reads what it writes; or the attribute that says so, if present or true
    )

    @property
    def is_required(self) -> bool:
        """Whether there must be one."""
        return self.use == "required"

    @property
    def is_allowed(self) -> bool:
        """Whether there may be one."""
        return self.use != "forbidden"


@dataclass(frozen=True)
class AttributeInfo:
    """One attribute.

    `type` is `int`, `float`, `bool`, `str`, `dtype`, `shape`, `tensor`, `type`, `enum`, or `list[...]` of one of them.
    """

    name: str
    type: str
    optional: bool = False  # None is legal, and the default where no other is stated
    default: object = None  # what is meant where nothing is said; None: there is no default
    enum: str = ""  # the name of the enumeration that `type` stands for
    one_of: tuple[object, ...] = ()  # the words of an enum, or the legal values
    min: float | None = None  # of text: the least number of characters
    max: float | None = None
    multiple_of: int | None = None

    @property
    def required(self) -> bool:
        """Whether the constructor must be given a value."""
        return not self.optional and self.default is None


@dataclass(frozen=True)
class PortInfo:
    """One value, or as many as another field has, that a region receives or hands out.

    Its type is that of the operands or results `same_as`; or that of an item of those of `item_of`, which lacks the
    dimension that the attribute `along` says, or the first one.
    """

    name: str
    same_as: str = ""
    item_of: str = ""
    along: str = ""
    dtypes: tuple[str, ...] = ()  # names of the legal element types, where nothing gives the type; empty: any
    rank: tuple[int, ...] = ()


@dataclass(frozen=True)
class RegionInfo:
    """A block that an instruction holds: how often it runs, what it receives, and what it hands out."""

    name: str
    runs: str = "at_most_once"  # once, at_most_once, or any number of times
    takes: tuple[PortInfo, ...] = ()  # its arguments
    yields: tuple[PortInfo, ...] | None = None  # None: a value for each result of the instruction


@dataclass(frozen=True)
class Show:
    """A placeholder of `rhs_str`: here stands the field `name`."""

    name: str


@dataclass(frozen=True)
class Group:
    """A part of `rhs_str` that vanishes when the optional `field` is absent; it starts with literal text."""

    field: str
    parts: tuple[str | Show, ...]


@dataclass(frozen=True)
class InstructionInfo:
    """All that is known about an instruction class beyond its code."""

    name: str  # of the definition
    dialect: str
    mnemonic: str | None  # the first word of its text; None for an abstract class
    version: int = 1  # of its BIR fields
    operands: tuple[OperandInfo, ...] = ()
    attributes: tuple[AttributeInfo, ...] = ()
    ap_indices: tuple[str, ...] = ()  # extra lists of access-pattern indices
    results: tuple[ResultInfo, ...] = (ResultInfo(),)
    open_attributes: bool = False  # whether it has a dictionary `attributes` beside the fields that are named here
    dst: DstInfo | None = None  # None: it has no memory, as all of the graph
    regions: tuple[RegionInfo, ...] = ()
    rhs: tuple[str | Show | Group, ...] = ()  # the text form, after the mnemonic
    engines: tuple[str, ...] = ()  # where it may run; empty: not said
    engines_by_target: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # where a target differs from that
    capabilities: frozenset[str] = frozenset()  # can_mutate_dst_ty, is_barrier ...
    op_kind: str | None = None
    facts: Mapping[str, Fact] = field(default_factory=dict)  # wide_range, force_f32, follow ...
    semantics: str | None = None  # a function of runtime.semantics
    renames: tuple[tuple[int, str, str], ...] = ()  # BIR fields: the first version with the new name, the old, the new
    before: tuple[tuple[int, str, object], ...] = ()  # BIR fields: what one is in records of before a version that
    # leave it out, under the name that it has in that version

    def engines_on(self, target: str | None) -> tuple[str, ...]:
        """Return the engines on which it may run on a target; empty where that is not said."""
        if target is None or not self.engines_by_target:
            return self.engines
        return self.engines_by_target.get(target, self.engines)

    @cached_property
    def is_control(self) -> bool:
        """Whether sequencers execute it, not the data paths of engines: the sync engine, which only is one, runs it."""
        return "sync" in self.engines

    @cached_property
    def is_conversion(self) -> bool:
        """Whether it copies one operand, and may give it another dtype; what else it takes may be absent."""
        if self.op_kind != "data_movement" or not self.operands or len(self.results) != 1:
            return False
        first, *others = self.operands
        one = not (first.optional or first.variadic) and all(operand.optional for operand in others)
        says_more = any(attribute.required for attribute in self.attributes)  # what else it puts in: affine_select
        return one and not says_more and self.results[0].free_dtype

    @cached_property
    def region_names(self) -> tuple[str, ...]:
        """The names of its regions."""
        return tuple(region.name for region in self.regions)

    @cached_property
    def may_repeat_regions(self) -> bool:
        """Whether it may run one of its regions any number of times."""
        return any(region.runs == "any" for region in self.regions)

    @cached_property
    def has_any_number_of_results(self) -> bool:
        """Whether it depends on the instance how many results there are."""
        return any(result.variadic for result in self.results)

    @cached_property
    def many_results(self) -> bool:
        """Whether the constructor takes `result_types`, a list, in place of `result_type`."""
        return len(self.results) > 1 or self.has_any_number_of_results

    @cached_property
    def shown(self) -> frozenset[str]:
        """The fields that the text form shows; the others go to the trailing dictionary."""
        names: set[str] = set()
        for part in self.rhs:
            inner = part.parts if isinstance(part, Group) else (part,)
            names.update(piece.name for piece in inner if isinstance(piece, Show))
        return frozenset(names)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """Names of all constructor fields: operands, attributes, lists of indices."""
        return (*(o.name for o in self.operands), *(a.name for a in self.attributes), *self.ap_indices)
