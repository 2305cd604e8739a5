"""Every key is documented, its example holds, and the page that is checked in is what the tables say."""

import re

import jsonschema
import pytest

from brewer import definition_keys, document_keys, field_keys
from brewer.command_line import main
from brewer.json_schema import json_schema
from brewer.keys_page import TABLES, page
from brewer.kinds import Key, Table
from brewer.problems import Problems
from brewer.yaml_tree import Mapping, read_tree
from tests.brewer.test_schema import plain, words
from tests.this_project import PROJECT

SCHEMA = json_schema({**words(PROJECT), "enum function": ("exp", "square")})
KEYS = [(table, key) for table in TABLES for key in table.keys]


def values(text: str) -> dict[str, object]:
    """A mapping that strict YAML takes."""
    problems = Problems()
    tree = read_tree("example", text.encode(), problems)
    assert not problems.found and isinstance(tree, Mapping)
    found: dict[str, object] = plain(tree)
    return found


def test_the_page_is_what_the_tables_say() -> None:
    text = (PROJECT.root / "brewer" / "KEYS.md").read_text(encoding="utf-8")
    assert text == f"{page().rstrip()}\n", "run `python -m brewer keys --markdown > brewer/KEYS.md`"


def test_every_table_is_on_the_page() -> None:
    modules = (definition_keys, field_keys, document_keys)
    tables = {value.what for module in modules for value in vars(module).values() if isinstance(value, Table)}
    assert tables == {table.what for table in TABLES}


@pytest.mark.parametrize(("table", "key"), KEYS, ids=lambda part: part.name if isinstance(part, Key) else part.what)
def test_every_key_has_one_line_and_an_example_that_holds(table: Table, key: Key) -> None:
    assert re.fullmatch(r"[A-Z`].*\.", key.doc) and "\n" not in key.example
    example = values(key.example)
    assert list(example) == [key.name]
    name = next(name for name, found in SCHEMA["$defs"].items() if found["description"] == table.doc)
    one = jsonschema.Draft202012Validator({**SCHEMA["$defs"][name]["properties"][key.name], "$defs": SCHEMA["$defs"]})
    assert [error.message for error in one.iter_errors(example[key.name])] == []


def test_the_command_explains_keys_and_proposes_near_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keys", "same_as"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("same_as of a result\n    the name of an operand\n    The operand whose type it has; ")
    assert "`same_as` excludes `dtype` and `infer`" in said and "multiple_of" not in said
    assert main(["keys"]) == 0
    said = capsys.readouterr().out
    assert [key.name for table, key in KEYS if f"{key.name} of {table.what}\n" not in said] == []
    assert main(["keys", "renk"]) == 2
    assert 'no key is called "renk"\nhelp: did you mean "rank"?' in capsys.readouterr().err
    assert main(["keys", "--markdown"]) == 0
    assert capsys.readouterr().out == f"{page().rstrip()}\n"
