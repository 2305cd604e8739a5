"""The page of one definition: every key that it has, inherited or not, as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from brewer.attribute_values import shown
from brewer.bir_views import bir_fields
from brewer.docs_view import PRESENCE_WORDS, RELATION_WORDS, condition, destination_rules, region_facts, result_rule
from brewer.documentation.blocks import (
    Block,
    CodeBlock,
    Line,
    Page,
    Paragraph,
    Section,
    Table,
    code,
    joined,
    paragraphs,
    plain,
    prose,
)
from brewer.info_view import capabilities
from brewer.load import Brewable
from brewer.model import Attribute, Constraint, Definition, Operand, Rule, Text
from brewer.python_sources import PythonSources
from brewer.rule_views import all_rules
from brewer.vocabulary import Vocabulary

_PRECISION = {
    "keep": "never converted",
    "f32": "always f32",
    "index": "an index, never in low precision",
}


@dataclass(frozen=True)
class DefinitionPage:
    brewable: Brewable
    children: tuple[Definition, ...]  # that stand on it directly
    vocabulary: Vocabulary
    sources: PythonSources
    in_memory: bool  # whether its instructions may write tensors

    @property
    def definition(self) -> Definition:
        return self.brewable.definition

    def page(self) -> Page:
        definition, rhs = self.definition, self.brewable.rhs
        mnemonic = rhs.mnemonic.value if rhs else ""
        types = dict.fromkeys(str(attribute.type) for attribute in definition.attributes)
        sections = (
            ("Text", self._text()),
            ("Operands", self._table_of(("operand", *_OPERAND_HEADS), map(self._operand, definition.operands))),
            (
                "Attributes",
                self._table_of(("attribute", *_ATTRIBUTE_HEADS), map(self._attribute, definition.attributes)),
            ),
            ("Index lists", self._table_of(("list", "what it is", "declared by"), self._indices())),
            ("Results", self._table_of(("result", "type", "what it is"), self._results())),
            ("Regions", self._table_of(("region", "what it receives and hands out", "what it is"), self._regions())),
            ("Rules", self._rules()),
            ("Engines", self._engines()),
            ("Precision", self._precision()),
            ("BIR", self._bir()),
            ("Semantics", self._semantics()),
            ("Examples", [CodeBlock(example.value.rstrip("\n")) for example in definition.examples]),
            ("Origin", self._origin()),
        )
        return Page(
            name=f"{definition.dialect}/{definition.name}",
            title=definition.name.value,
            summary=definition.summary,
            words=(mnemonic, *(field.name.value for field in definition.fields), *types, definition.op_kind or ""),
            sections=tuple(Section(title, tuple(blocks)) for title, blocks in sections if blocks),
            lead=tuple(self._lead()),
        )

    def _lead(self) -> Iterator[Block]:
        definition = self.definition
        if definition.deprecated:
            yield Paragraph((*plain("Deprecated: "), *prose(definition.deprecated)))
        yield from paragraphs(definition.doc)
        if definition.abstract:
            yield Paragraph(plain("Abstract: it is the base of others, and is never built itself."))

    def _text(self) -> list[Block]:
        definition = self.definition
        if definition.rhs_str is None:
            return []
        form = " ".join(definition.rhs_str.value.split())
        hidden = [field.name for field in definition.fields if f"{{{field.name}}}" not in form]
        note = (*plain("In the trailing dictionary: "), *joined(map(code, hidden)), *plain("."))
        return [CodeBlock(form), *([Paragraph(note)] if hidden else [])]

    def _table_of(self, heads: tuple[str, ...], rows: Iterable[tuple[Line, ...]]) -> list[Block]:
        table = Table(heads, tuple(rows))
        return [table.without_empty_columns] if table.rows else []

    def _declared_by(self, name: Text) -> Line:
        """The base that declares a field, where this definition does not."""
        if self.definition.says(name):
            return ()
        stem = PurePosixPath(name.place.file).stem
        base = next((file for file in self.brewable.bases if PurePosixPath(file).stem == stem), "")
        return code(stem, "/".join(PurePosixPath(base).with_suffix("").parts[-2:]) if base else "")

    def _operand(self, operand: Operand) -> tuple[Line, ...]:
        how = ["optional"] * operand.optional + ["any number"] * operand.variadic
        shape = "" if operand.shape is None else f"[{', '.join(map(str, operand.shape))}]"
        rank = f"rank {' or '.join(map(str, operand.rank))}" if operand.rank and not shape else shape
        return (
            code(operand.name),
            plain(operand.access.replace("_", " and ") if self.in_memory else ""),
            plain(", ".join(how)),
            joined(map(self._dtype, operand.dtypes)),
            plain(" or ".join(operand.memory)),
            plain(rank),
            plain(_PRECISION.get(operand.precision or "", "")),
            prose(operand.doc),
            self._declared_by(operand.name),
        )

    def _dtype(self, word: str) -> Line:
        groups = dict(self.vocabulary.dtype_groups)
        return code(word, f"vocabulary#{word}") if word in groups else code(word)

    def _attribute(self, attribute: Attribute) -> tuple[Line, ...]:
        kind = attribute.type
        default = "none, it may be absent" if attribute.optional else ""
        if attribute.default is not None:
            value = attribute.default.value
            default = f"[{', '.join(map(shown, value))}]" if isinstance(value, tuple) else shown(value)
        bounds = [f"at least {attribute.min}"] * (attribute.min is not None)
        bounds += [f"at most {attribute.max}"] * (attribute.max is not None)
        bounds += [f"a multiple of {attribute.multiple_of}"] * (attribute.multiple_of is not None)
        bounds += [f"one of {', '.join(map(shown, attribute.one_of))}"] * bool(attribute.one_of)
        return (
            code(attribute.name),
            code(kind, f"vocabulary#{kind.enum}" if kind.enum else ""),
            plain(default) if attribute.optional else code(default),
            plain(", ".join(bounds)),
            prose(attribute.doc),
            self._declared_by(attribute.name),
        )

    def _indices(self) -> Iterator[tuple[Line, ...]]:
        for indices in self.definition.ap_indices:
            yield code(indices.name), prose(indices.doc), self._declared_by(indices.name)

    def _results(self) -> Iterator[tuple[Line, ...]]:
        for result in self.definition.results:
            rule, doc = result_rule(self.definition, result, self.sources)
            yield code(result.name), prose(rule), prose(doc)

    def _regions(self) -> Iterator[tuple[Line, ...]]:
        for region in self.definition.regions:
            yield code(region.name), plain("; ".join(region_facts(region))), prose(region.doc)

    def _rules(self) -> list[Block]:
        rows: list[tuple[Line, ...]] = []
        said = destination_rules(self.definition.dst)
        if said:
            rows.append((code("dst"), plain(f"is {', '.join(said)}"), (), ()))
        rows += [self._constraint(constraint) for constraint in all_rules(self.definition)]
        return self._table_of(("rule", "what holds", "where", "in words"), rows)

    def _constraint(self, constraint: Rule) -> tuple[Line, ...]:
        if isinstance(constraint, Constraint):
            relation = plain(f" {RELATION_WORDS[constraint.relation]} ")
            holds = (*code(constraint.left), *relation, *code(constraint.right))
        else:
            holds = (*plain(PRESENCE_WORDS[constraint.relation].format("")), *joined(map(code, constraint.optional)))
        where = plain(" and ".join(map(str, constraint.when)))
        return code(constraint.label), holds, where, prose(constraint.message)

    def _engines(self) -> list[Block]:
        engines = self.definition.engines
        blocks: list[Block] = []
        if engines.hint:
            unknown = " It is not known in the source compiler." if engines.hint == "unknown" else ""
            blocks.append(Paragraph((*plain("Where nobody chooses one: "), *code(engines.hint), *plain(f".{unknown}"))))
        if not engines.legal and not engines.by_target:
            return blocks
        by_target = dict(engines.by_target)
        targets = self.vocabulary.engines_of or (("any", self.vocabulary.engines),)
        rows = []
        for target, there in targets:
            legal = [engine for engine in by_target.get(target, engines.legal) if engine in there]
            rows.append((code(target), joined(map(code, legal)) or plain("none")))
        return [*blocks, Table(("target", "may run on"), tuple(rows))]

    def _precision(self) -> list[Block]:
        definition = self.definition
        rows = [(code("op_kind"), code(definition.op_kind))] if definition.op_kind else []
        rows += [(code(name), plain(condition(fact))) for name, fact in definition.facts if fact]
        rows += [(code(name), plain("a capability")) for name in sorted(capabilities(definition))]
        return self._table_of(("fact", "holds"), rows)

    def _bir(self) -> list[Block]:
        definition = self.definition
        if definition.abstract:
            return []
        rows = tuple((code(field.name), plain(field.kind)) for field in bir_fields(definition))
        old = [
            Paragraph((*code(r.new), *plain(" was "), *code(r.old), *plain(f" before version {r.version}.")))
            for r in definition.renames
        ]
        old += [
            Paragraph(
                (
                    *plain(f"A record of before version {o.version} that leaves out "),
                    *code(o.name.value),
                    *plain(" means "),
                    *code(shown(o.value)),
                    *plain("."),
                )
            )
            for o in definition.before
        ]
        head = Paragraph(plain(f"Version {definition.version}; the fields in their order:"))
        return [head, Table(("field", "written as"), rows), *old] if rows else []

    def _semantics(self) -> list[Block]:
        definition = self.definition
        if definition.abstract:
            return []
        if definition.semantics:
            return [Paragraph((*plain("Computed by "), *code(definition.semantics), *plain(".")))]
        return [Paragraph(plain("None is defined: the interpreter refuses programs with this instruction, by name."))]

    def _origin(self) -> list[Block]:
        definition = self.definition
        files = [*self.brewable.bases]
        bases = [code(PurePosixPath(f).stem, "/".join(PurePosixPath(f).with_suffix("").parts[-2:])) for f in files]
        rows = [
            ("definition", code(f"{definition.file}:{definition.line}")),
            ("generated class", code(f"{self.sources.modules.package}.{definition.dialect}.{definition.name}Gen")),
            ("hand-written class", code(definition.wrapper.value) if definition.wrapper else ()),
            ("stands on", joined([*bases, code(self.brewable.root)])),
            ("others stand on it", joined(code(c.name, f"{c.dialect}/{c.name}") for c in self.children)),
            *(("source", plain(f"{s.document}{', ' * bool(s.section)}{s.section}")) for s in definition.source),
            ("since", plain(definition.since)),
        ]
        return [Table(("what", "where"), tuple((plain(what), said) for what, said in rows if said))]


_OPERAND_HEADS = ("access", "how many", "data types", "memory", "shape", "precision", "what it is", "declared by")
_ATTRIBUTE_HEADS = ("type", "default", "bounds", "what it is", "declared by")
