"""The reference documentation: complete, well-formed, self-contained, and its examples run.

What the examples compute was worked out by hand, for inputs that are all ones.
"""

import json
import os
import posixpath
import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy
import pytest

import runtime
from brewer.attribute_values import shown
from brewer.command_line import main
from brewer.documentation.blocks import Page, Table
from brewer.documentation.html import html_text, search_entries
from brewer.documentation.markdown import markdown_files
from brewer.documentation.reference import Reference, make_reference
from brewer.load import Instructions, load
from brewer.model import Constraint, Definition
from brewer.project import Project
from runtime.interpreter.inputs import inputs_of
from runtime.names import Names
from runtime.types import Type
from tests.brewer.miniature import build
from tests.definition_examples import programs_among
from tests.this_project import PROJECT, instructions
from tests.tree import ROOT

INSTRUCTIONS = instructions()
EXAMPLES = [(d, text) for d in INSTRUCTIONS.definitions for text in programs_among(one.value for one in d.examples)]
OF_ONES = {
    "neuron/ActivationOp": 4.46875,  # exp(0.5 * 1 + 1) is 4.48169; bf16 has steps of 1/32 between 4 and 8
    "neuron/MatMulOp": 64.0,
    "neuron/TensorCopyDynamicSrc": 1.0,
    "graph/MatMul": 3.0,
    "graph/If": -1.0,
}
WITHOUT_END = frozenset({"meta", "input", "link", "br", "hr", "img"})

STRANGE = """\
name: Strange
base: GraphInst
summary: Compares `a < b` & c > d | e, <b>not bold</b> *nor this*.
doc: |
  </script><script>alert("x")</script>

  # 1 is no heading, &amp; no entity, snake_case no emphasis, but _this_ would be.

  7. is no list.

  A second paragraph with [brackets](http://example.com), 100 %.
rhs_str: "graph.strange {src}"
operands:
  src: {doc: "a | b, `c | d` and <i>e</i>"}
results:
  result: {same_as: src}
examples: ["%r: f32[2] = graph.strange %a // </pre> & ```"]
"""


@pytest.fixture(scope="module")
def reference() -> Reference:
    return make_reference(PROJECT, INSTRUCTIONS)


class Parsed(HTMLParser):
    """A strict reader: every element is closed in order, and no text is lost."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.scripts: list[str] = []
        self.texts: list[str] = []
        self.elements: Counter[str] = Counter()
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]
        assert len({name for name, _ in attrs}) == len(
            attrs
        ), f"an attribute stands twice in {self.get_starttag_text()}"
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name == "href"]
        if tag == "script":
            self.scripts.append("")
        if tag not in WITHOUT_END:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> at {self.getpos()} closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"]:
            self.scripts[-1] += data
        elif self.open[-1:] != ["style"]:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return flat("".join(self.texts))


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(("definition", "example"), EXAMPLES, ids=lambda case: str(getattr(case, "name", "example")))
def test_an_example_is_a_program_that_runs(definition: Definition, example: str) -> None:
    module = runtime.parse(example, definition.file)
    assert runtime.print_module(module).split() == example.split()  # a long list may go on in the next line
    assert runtime.verify(module) == []
    shown = [inst for inst in module.root_function.insts if inst.INFO.name == definition.name.value]
    assert shown and all(inst.INFO.dialect == definition.dialect for inst in shown)
    if definition.semantics is None:
        return
    wanted = inputs_of(module.root_function, Names(module.root_function))
    ones = {one.name: ones_of(one.type) for one in wanted}
    results = runtime.run(module, ones)
    expected = OF_ONES.get(f"{definition.dialect}/{definition.name}")
    for result in results.values():
        assert expected is None or set(result.astype(numpy.float64).flat) == {expected}


def ones_of(type: Type) -> Any:
    assert type.shape is not None and type.dtype is not None and all(isinstance(extent, int) for extent in type.shape)
    return numpy.ones([extent for extent in type.shape if isinstance(extent, int)], type.dtype.numpy)


def test_the_examples_with_known_results_are_there() -> None:
    assert {f"{definition.dialect}/{definition.name}" for definition, _ in EXAMPLES} >= OF_ONES.keys()


def test_the_html_is_well_formed_and_every_link_resolves(reference: Reference) -> None:
    parsed = Parsed(html_text(reference))
    assert [name for name, count in Counter(parsed.ids).items() if count > 1] == []
    assert len(parsed.links) > len(reference.pages)
    assert [link for link in parsed.links if link[:1] != "#" or link[1:] not in parsed.ids] == []


def test_the_html_needs_nothing_from_elsewhere(reference: Reference) -> None:
    text = html_text(reference)
    parsed = Parsed(text)
    assert not [entry for entry in parsed.attributes if entry[1] in ("src", "srcset", "action", "data")]
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|import\(", text)
    assert parsed.elements["link"] == parsed.elements["img"] == parsed.elements["iframe"] == 0


def test_the_html_can_be_read_aloud_and_by_keyboard(reference: Reference) -> None:
    text = html_text(reference)
    parsed = Parsed(text)
    has = set(parsed.attributes)
    assert {("html", "lang", "en"), ("label", "for", "query"), ("input", "id", "query"), ("p", "role", "status")} <= has
    assert ("a", "href", "#content") in has and ("main", "id", "content") in has
    assert parsed.elements["main"] == parsed.elements["h1"] == 1
    assert parsed.elements["th"] == sum(1 for tag, name, _ in parsed.attributes if (tag, name) == ("th", "scope"))
    assert "prefers-color-scheme: dark" in text and ":focus-visible" in text


def test_the_search_index_has_every_page_and_leads_to_it(reference: Reference) -> None:
    parsed = Parsed(html_text(reference))
    index = json.loads(parsed.scripts[0])
    assert len(parsed.scripts) == 2
    assert [entry[0] for entry in index] == [entry.anchor for entry in search_entries(reference)]
    assert {entry[0] for entry in index} <= set(parsed.ids)
    words = {entry[0]: " ".join(entry[1:]).split() for entry in index}
    for brewable in INSTRUCTIONS.brewables:
        definition = brewable.definition
        found = words[f"{definition.dialect}/{definition.name}"]
        assert definition.name.value in found
        assert brewable.rhs is None or brewable.rhs.mnemonic.value in found
        assert {field.name.value for field in definition.fields} <= set(found)
    assert {f"vocabulary/{enum.name}" for enum in INSTRUCTIONS.vocabulary.enums} <= words.keys()
    assert "Resize" in words["onnx/ai.onnx"]


def test_every_definition_is_said_in_full(reference: Reference) -> None:
    """Whatever prose and names a definition has stand in both forms."""
    pages = {page.name: page for page in reference.pages}
    files = markdown_files(reference)
    html = Parsed(html_text(reference)).text
    for definition in INSTRUCTIONS.definitions:
        name = f"{definition.dialect}/{definition.name}"
        said = text_of(pages[name])
        for wanted in words_of(definition):
            assert flat(wanted.replace("`", "")) in said, f"{name}: {wanted}"
            assert flat(wanted.replace("`", "")) in html
        assert all(example.value in files[f"{name}.md"] for example in definition.examples)
    for document in INSTRUCTIONS.facts:
        page = files[f"{document.dialect}/{document.domain}.md"]
        assert document.operators and all(f"| `{one.name.value}` |" in page for one in document.operators)
    words = files["vocabulary.md"]
    assert all(f"`{word}`" in words for enum in INSTRUCTIONS.vocabulary.enums for word in enum.values)


def words_of(definition: Definition) -> list[str]:
    fields = definition.fields
    facts = [name for name, fact in definition.facts if fact]
    return [
        definition.name.value,
        definition.summary,
        *definition.doc.split("\n\n"),
        *(part for field in fields for part in (field.name.value, field.doc)),
        *(part for operand in definition.operands for part in (*operand.dtypes, *operand.memory)),
        *(str(attribute.type) for attribute in definition.attributes),
        *(result.name.value for result in definition.results),
        *(region.name.value for region in definition.regions),
        *(part for rule in definition.constraints for part in (rule.label.value, rule.message)),
        *(str(rule.left) for rule in definition.constraints if isinstance(rule, Constraint)),
        *(capability for capability, holds in definition.capabilities if holds),
        *facts,
        definition.op_kind or "",
        str(definition.engines.hint or ""),
        *definition.engines.legal,
        "" if definition.abstract else str(definition.semantics or "None is defined"),
        str(definition.wrapper or ""),
        *(part for source in definition.source for part in (source.document, source.section)),
        *(part for rename in definition.renames for part in (rename.old.value, rename.new.value)),
        *(part for older in definition.before for part in (older.name.value, shown(older.value))),
        definition.since,
        definition.deprecated,
        definition.base.value,
    ]


def text_of(page: Page) -> str:
    texts = [page.title]
    for block in (*page.intro, *(block for section in page.sections for block in section.blocks)):
        if isinstance(block, Table):
            texts += ["".join(span.text for span in cell) for row in block.rows for cell in row]
        else:
            texts.append(block.text if hasattr(block, "text") else "".join(span.text for span in block.line))
    return flat(" ".join(texts))


def test_the_markdown_links_resolve_and_reach_every_page(reference: Reference) -> None:
    files = markdown_files(reference)
    reached = set()
    for name, text in files.items():
        headings = {re.sub(r"[^\w-]", "", t.lower().replace(" ", "-")) for t in re.findall(r"^## (.*)$", text, re.M)}
        assert len(re.findall(r"^# ", text, re.M)) == 1 and headings
        for target in re.findall(r"\]\(([^)]*)\)", text):
            path, _, section = target.partition("#")
            found = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
            assert found in files, f"{name}: {target}"
            assert not section or re.search(rf"^## .*{section.replace('_', '.{1,2}')}$", files[found], re.M | re.I)
            reached |= {found} if name == "index.md" else set()
    assert reached == files.keys() - {"index.md"}


def test_the_markdown_tables_have_one_number_of_columns(reference: Reference) -> None:
    for name, text in markdown_files(reference).items():
        for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
            widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
            assert len(widths) == 1, f"{name}: {table}"


def strange(folder: Path) -> tuple[Project, Instructions]:
    project = build(folder, {"defs/graph/Strange.yaml": STRANGE.encode()})
    return project, load(project)


def test_whatever_stands_in_a_definition_is_text(tmp_path: Path) -> None:
    reference = make_reference(*strange(tmp_path))
    parsed = Parsed(html_text(reference))
    assert len(parsed.scripts) == 2 and parsed.elements["b"] == parsed.elements["i"] == 0
    for said in (
        "Compares a < b & c > d | e, <b>not bold</b> *nor this*.",
        '</script><script>alert("x")</script>',
        "A second paragraph with [brackets](http://example.com), 100 %.",
        "a | b, c | d and <i>e</i>",
        "%r: f32[2] = graph.strange %a // </pre> & ```",
    ):
        assert said in parsed.text
    assert json.loads(parsed.scripts[0])[0][2].startswith("Compares `a < b` & c > d")
    page = markdown_files(reference)["graph/Strange.md"]
    assert r"Compares `a < b` & c > d \| e, \<b>not bold\</b> \*nor this\*." in page
    assert r"a \| b, `c \| d` and \<i>e\</i>" in page
    assert "\n\\# 1 is no heading, \\&amp; no entity, snake_case no emphasis, but \\_this\\_ would be.\n" in page
    assert "\n7\\. is no list.\n" in page
    assert "````text\n%r: f32[2] = graph.strange %a // </pre> & ```\n````" in page


def test_the_command_writes_what_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strange(tmp_path)
    arguments = ["docs", "--root", str(tmp_path), "--output", str(tmp_path / "pages")]
    assert main(arguments) == 0
    assert "4 of 4 files written; to read them, open " in capsys.readouterr().out
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "pages").rglob("*.*")}
    assert sorted(path.name for path in times) == ["Strange.md", "index.html", "index.md", "vocabulary.md"]
    (tmp_path / "pages" / "mine.md").write_text("mine\n", encoding="utf-8")
    assert main(arguments) == 0
    assert "0 of 4 files written" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in times} == times
    definition = tmp_path / "defs" / "graph" / "Strange.yaml"
    definition.rename(definition.with_name("Stranger.yaml"))
    definition.with_name("Stranger.yaml").write_text(STRANGE.replace("name: Strange", "name: Stranger"), "utf-8")
    assert main(arguments) == 0
    assert "3 of 4 files written, 1 removed" in capsys.readouterr().out
    names = sorted(path.name for path in (tmp_path / "pages").rglob("*.*"))
    assert names == ["Stranger.md", "index.html", "index.md", "mine.md", "vocabulary.md"]


def test_files_of_others_are_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strange(tmp_path)
    (tmp_path / "index.html").write_text("<p>mine</p>\n", encoding="utf-8")
    assert main(["docs", "--root", str(tmp_path), "--output", str(tmp_path)]) == 2
    assert "error[D082]: this file was not written by brewer" in capsys.readouterr().err
    assert not (tmp_path / "index.md").exists()


def test_mistakes_in_definitions_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build(tmp_path, {"defs/graph/Strange.yaml": STRANGE.replace("same_as: src", "same_as: scr").encode()})
    assert main(["docs", "--root", str(tmp_path), "--output", str(tmp_path / "pages")]) == 2
    assert "error[D072]" in capsys.readouterr().err
    assert not (tmp_path / "pages").exists()


def test_the_output_does_not_depend_on_the_run(tmp_path: Path, reference: Reference) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "brewer", "docs", "--root", str(ROOT), "--output", str(tmp_path)]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    files = {**markdown_files(reference), "index.html": html_text(reference)}
    written = (path for path in tmp_path.rglob("*") if path.is_file())
    assert {path.relative_to(tmp_path).as_posix(): path.read_text(encoding="utf-8") for path in written} == files
