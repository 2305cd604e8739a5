"""The pipeline that one would write in an afternoon: PyYAML's C loader, one Jinja template, black on every class.

It gives classes of the same parts, methods and length as brewer's for the definitions of bench/brewing_project.py, from
a template that is written plainly, so that black has something to do. Deliberately absent: checks, messages, comparing
with what is there, shared files. `python -m bench.naive_brewing PROJECT` writes PROJECT/naive/.
"""

import sys
from pathlib import Path
from typing import Any

import black
import jinja2
import yaml
from black.mode import TargetVersion

TEMPLATE = '''\
# Generated from {{ file }}
# Do not edit
"""The class `{{ name }}Gen`."""
from __future__ import annotations
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from generated.vocabulary import ACTIVATION_FUNCTIONS, FLOATS, ActivationFunction
from runtime.info import AttributeInfo, InstructionInfo, OperandInfo, Show
from runtime.instructions import GraphInst, Problem
from runtime.types import Type
from runtime.values import Operand
if TYPE_CHECKING:
    from runtime.bir.records import BirWriter, Record
    from runtime.names import Names

class {{ name }}Gen({{ base }}):
    """{{ summary }}

    {{ doc | replace("\\n", "\\n    ") }}

    Operands:
{% for field, facts in operands.items() %}
        {{ field }}: {{ facts.dtypes or "any" }}
            {{ facts.doc }}
{% endfor %}
    Attributes:
{% for field, facts in attributes.items() %}
        {{ field }}: {{ facts.type }}
            {{ facts.doc or "An attribute." }}
{% endfor %}
    Results:
        result: by the definition
    Rules:
{% for rule in constraints %}
        {{ rule }}: {{ constraints[rule].message }}
{% endfor %}
    Passes:
        op_kind: {{ op_kind }}
    Text:
        {{ rhs_str }}
    Source:
        {{ source.document }}, {{ source.section }}
    Semantics: none
    Since: {{ since }}
    """
    __slots__ = ({% for field in fields %}'_{{ field }}', {% endfor %})
    INFO: ClassVar = InstructionInfo(name='{{ name }}', dialect='graph', mnemonic='graph.{{ name | lower }}',
        operands=({% for field, facts in operands.items() %}OperandInfo('{{ field }}',\
 dtypes={{ facts.dtypes | default(none) | pprint }},{{ " optional=True," if facts.optional }}), {% endfor %}),
        attributes=({% for field, facts in attributes.items() %}AttributeInfo('{{ field }}', '{{ facts.type }}',\
{% for key in ("default", "min", "max", "multiple_of") if key in facts %} {{ key }}={{ facts[key] }},{% endfor %}\
), {% endfor %}),
        rhs=({% for field in fields %}Show('{{ field }}'), {% endfor %}), op_kind='{{ op_kind }}',)
    def __init__(self, {% for field in fields %}{{ field }}: Operand{{ " | None = None" if not loop.first }},\
 {% endfor %}result_type: Type | None = None, loc: str | None = None,) -> None:
        try:
{% for field in fields %}
            self._{{ field }} = {{ field }}
{% endfor %}
            super().__init__(self.infer_result_type() if result_type is None else result_type, loc)
            self._link_operands()
        except Exception:
            self._give_up(locals())
            raise
{% for field in fields %}
    @property
    def {{ field }}(self) -> Operand:
        """{{ (operands[field] or attributes[field]).doc or "An attribute." }}"""
        return self._{{ field }}
{% if field in attributes %}
    @{{ field }}.setter
    def {{ field }}(self, value: Operand) -> None:
        self._{{ field }} = value
{% endif %}
{% endfor %}
    def operands(self) -> tuple[Operand, ...]:
        return ({% for field in operands %}self._{{ field }}, {% endfor %})
    def _link_operands(self) -> None:
{% for field in operands %}
        self._{{ field }}.addUser(self)
{% endfor %}
    def replaceUseOfWith(self, old: Operand, new: Operand) -> None:
{% for field in operands %}
        self._{{ field }} = self._replaced(self._{{ field }}, old, new)
{% endfor %}
    def rhs_str(self, names: Names | None = None) -> str:
        text = 'graph.{{ name | lower }}'
{% for field in fields %}
        if self._{{ field }} is not None:
            text += f' {self._{{ field }}}'
{% endfor %}
        return text
    def infer_result_type(self) -> Type:
        return self._{{ fields[0] }}.type
    def serialize(self, ctx: BirWriter, **fields: object) -> Record:
{% for field in operands %}
        ctx.var(self._{{ field }})
{% endfor %}
        return super().serialize(ctx, {% for field in attributes %}{{ field }}=ctx.word(self._{{ field }}),\
 {% endfor %}**fields)
    def verify(self) -> Iterator[Problem]:
        yield from super().verify()
{% for rule in constraints %}
        yield from self._verify_{{ rule }}()
    def _verify_{{ rule }}(self) -> Iterator[Problem]:
        """Rule `{{ rule }}`: {{ constraints[rule].message }}."""
        left, right = self._{{ fields[0] }}.type, self._{{ fields[-1] }}.type
        if not left == right:
            yield Problem(f'{{ constraints[rule].message }}: it is {left} and {right}', '{{ fields[0] }}',)
{% endfor %}
'''


def brew(root: Path) -> int:
    """Writes a class for each definition; gives their number."""
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    template = environment.from_string(TEMPLATE)
    mode = black.Mode(line_length=120, target_versions={TargetVersion.PY311})
    (root / "naive").mkdir(exist_ok=True)
    known: dict[str, dict[str, Any]] = {}
    for file in sorted((root / "defs" / "graph").glob("*.yaml")):
        definition = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        known[definition["name"]] = definition
        text = black.format_str(template.render(_view(definition, known, file)), mode=mode)
        (root / "naive" / f"{definition['name']}Gen.py").write_text(text, encoding="utf-8")
    return len(known)


def _view(definition: dict[str, Any], known: dict[str, dict[str, Any]], file: Path) -> dict[str, Any]:
    base = known.get(definition["base"], {})
    sections = {k: {**base.get(k, {}), **definition.get(k, {})} for k in ("operands", "attributes", "constraints")}
    fields = [*sections["operands"], *sections["attributes"]]
    return {"op_kind": base.get("op_kind"), **definition, **sections, "fields": fields, "file": file.name}


if __name__ == "__main__":
    print(brew(Path(sys.argv[1])))
