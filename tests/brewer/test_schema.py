"""The JSON Schema and the loader say the same of every input, but for what only the loader can see."""

import json
import random
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from brewer.command_line import main
from brewer.commands.schema import words_of
from brewer.definition_files import LARGEST, load_headers, load_vocabulary
from brewer.json_schema import ONLY_THE_LOADER, Lists, json_schema
from brewer.load import check_together, load_what_is_readable
from brewer.problems import Problems
from brewer.project import Project
from brewer.vocabulary import Vocabulary
from brewer.yaml_tree import Mapping, Node, Sequence, read_tree
from runtime.diagnostics import Diagnostic
from tests.brewer.case_files import Case, read_cases
from tests.brewer.miniature import build
from tests.brewer.mutants import dumped, mutated_tree
from tests.this_project import PROJECT

FILES = {path.relative_to(PROJECT.root).as_posix(): path.read_text() for path in PROJECT.definitions.rglob("*.yaml")}
# Facts of a few operators say all that can be said, and load faster.
FILES["defs/onnx/ai.onnx.yaml"] = FILES["defs/onnx/ai.onnx.yaml"].partition("\n  Conv:")[0]
VOCABULARY = load_vocabulary(PROJECT, Problems()) or Vocabulary()
CASES = read_cases(Path(__file__).parent / "cases")
WHOLE_WITH_A_FRACTION = r"the number -?\d+\.0+\b"
# What a schema cannot say: the code, and where it can say a part of it, the messages of the rest.
LOADER_ONLY = {
    **dict.fromkeys(("D014", "D050"), WHOLE_WITH_A_FRACTION),
    "D018": "is not a name of a dialect",  # of the folder
    "D024": '"dtypes"',
    **dict.fromkeys(("D023", "D031", "D032", "D033", "D034", "D035", "D040", "D041", "D042", "D044"), ""),
    **dict.fromkeys(
        ("D045", "D046", "D051", "D061", "D064", "D065", "D066", "D067", "D070", "D072", "D073", "D074", "D076"), ""
    ),
    **dict.fromkeys(("D078", "D079", "D091", "D120", "D121", "D122", "D123"), ""),
    "D052": 'below "min"',
    "D063": "needs the field",
    "D071": f"two numbers|has no part|{WHOLE_WITH_A_FRACTION}",
    "D075": r"a rename of version|has no field|is still a field|^\"\d+\" is no version",
    "D090": r"^\"\d+\" is no version",
}
OF_THE_VOCABULARY = {"D005": "", "D015": "", "D016": ""}  # its own words, which a schema of them cannot know
OF_A_BASE = {"D005": "", "D013": "", "D050": "", "D052": "", "D071": "states no relation"}  # what it may have said


def plain(node: Node) -> Any:
    """A tree as JSON has it."""
    if isinstance(node, Mapping):
        return {entry.name: plain(entry.value) for entry in node}
    return [plain(item) for item in node.items] if isinstance(node, Sequence) else node.value


def words(project: Project) -> Lists:
    return words_of(project, load_vocabulary(project, Problems()) or Vocabulary())


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = json_schema(words(PROJECT))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def found_by_the_loader(project: Project) -> tuple[Diagnostic, ...]:
    """What `load` raises, without the texts of the messages, which take a fifth of the time."""
    problems = Problems()
    load_what_is_readable(project, problems)
    return problems.found


def found_in_a_part(project: Project) -> tuple[Diagnostic, ...]:
    """The same where the vocabulary and the sources are those of the real project, and not read again.

    Nothing is said of wrappers without a definition: those of all other definitions are.
    """
    problems = Problems()
    headers = load_headers(project, problems)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("brewer.load.check_sources", lambda *_: None)  # it looks for pipes among the real sources
        patched.setattr("brewer.load.check_unnamed_wrappers", lambda *_: None)
        check_together(project, headers, VOCABULARY, problems)
    return problems.found


def is_for_the_loader_alone(found: Diagnostic, tree: Any, roots: Iterable[str], file: str) -> bool:
    tables = [LOADER_ONLY]
    tables += [OF_THE_VOCABULARY] if file == "defs/vocabulary.yaml" else []
    tables += [OF_A_BASE] if tree.get("base") not in roots and isinstance(tree.get("base"), str) else []
    return any(re.search(table[found.code], found.message) is not None for table in tables if found.code in table)


def why_they_disagree(
    project: Project, file: str, schema: jsonschema.Draft202012Validator, roots: Iterable[str]
) -> str | None:
    """What one of the two says of a file and the other does not; None for what is no tree of values."""
    problems = Problems()
    tree = read_tree(file, (project.root / file).read_bytes(), problems)
    if tree is None or problems.found:
        return None
    values = plain(tree)
    refused = [f"{error.json_path}: {error.message[:200]}" for error in schema.iter_errors(values)]
    is_part = project.sources is PROJECT.sources and file != "defs/vocabulary.yaml"
    found = found_in_a_part(project) if is_part else found_by_the_loader(project)
    if refused and not found:  # where a base has mistakes, what stands on it is not judged
        return f"only the schema refuses it: {refused}"
    here = [each for each in found if each.place and each.place.file == str(project.root / file)]
    expressible = [each for each in here if not is_for_the_loader_alone(each, values, roots, file)]
    if expressible and not refused:
        return f"only the loader refuses it: {[each.render() for each in expressible]}"
    return None


def project_of(folder: Path, file: str) -> Project:
    """A project with one definition, its base and the vocabulary; the hand-written code is that of the real project."""
    project = Project(folder)
    project.__dict__["sources"] = PROJECT.sources
    base = re.search(r"^base: (\w+)$", FILES[file], re.MULTILINE)
    names = {file, "defs/vocabulary.yaml", *(name for name in FILES if base and name.endswith(f"/{base[1]}.yaml"))}
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(FILES[name])
    return project


def test_all_definitions_of_the_project_are_accepted(validator: jsonschema.Draft202012Validator) -> None:
    for file, text in FILES.items():
        tree = read_tree(file, text.encode(), Problems())
        assert tree is not None and [error.message for error in validator.iter_errors(plain(tree))] == [], file


@pytest.mark.parametrize("file", sorted(FILES))
def test_schema_and_loader_agree_on_mutants(
    file: str, validator: jsonschema.Draft202012Validator, tmp_path: Path
) -> None:
    agree_on_mutants(file, validator, tmp_path, range(10))


@pytest.mark.long
@pytest.mark.parametrize("file", sorted(FILES))
def test_schema_and_loader_agree_on_many_mutants(
    file: str, validator: jsonschema.Draft202012Validator, tmp_path: Path
) -> None:
    agree_on_mutants(file, validator, tmp_path, range(10, 150))


def agree_on_mutants(file: str, validator: jsonschema.Draft202012Validator, folder: Path, seeds: Iterable[int]) -> None:
    project = project_of(folder, file)
    roots = PROJECT.sources.instruction_classes
    for seed in seeds:
        text = dumped(mutated_tree(FILES[file], random.Random(f"{file} {seed}")))
        (project.root / file).write_text(text)
        reason = why_they_disagree(project, file, validator, roots)
        assert reason is None, f"seed {seed}: {reason}\n{text}"


@pytest.mark.parametrize("file", sorted(FILES)[::20])
def test_a_part_is_judged_like_the_whole(file: str, tmp_path: Path) -> None:
    project = project_of(tmp_path, file)
    (project.root / file).write_text(dumped(mutated_tree(FILES[file], random.Random(file))))
    whole = found_by_the_loader(project)
    assert found_in_a_part(project) == tuple(each for each in whole if not is_of_a_wrapper_left_over(each))


def is_of_a_wrapper_left_over(found: Diagnostic) -> bool:
    return found.code == "D064" and found.place is not None and found.place.file.endswith(".py")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.file.path.stem)
def test_schema_and_loader_agree_on_cases(case: Case, tmp_path: Path) -> None:
    project = build(tmp_path, case.files, case.removed, templates=False)
    lists = words(project)
    schema = jsonschema.Draft202012Validator(json_schema(lists))
    for file in (file for file, content in case.files.items() if len(content) <= LARGEST):
        if re.fullmatch(r"defs/\w+/[\w.]+\.yaml", file) and (project.root / file).is_file():
            assert why_they_disagree(project, file, schema, lists["roots"]) is None, file


def test_every_rule_for_the_loader_alone_is_listed() -> None:
    ranges = re.findall(r"D(\d+)(?: to D(\d+))?", " ".join(ONLY_THE_LOADER))
    listed = {f"D{code:03}" for low, high in ranges for code in range(int(low), int(high or low) + 1)}
    assert {*LOADER_ONLY, *OF_THE_VOCABULARY, *OF_A_BASE} <= listed


def test_the_command_prints_or_writes_a_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    printed = capsys.readouterr().out
    assert main(["schema", "--output", str(tmp_path / "new" / "schema.json")]) == 0
    assert (tmp_path / "new" / "schema.json").read_text() == printed and "vector" in printed
    assert json.loads(printed) == json_schema(words(PROJECT))


def test_the_schema_does_not_wait_for_definitions_without_mistakes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = build(tmp_path, {"defs/neuron/X.yaml": b"name: X\nbase: NeuronInst\noperands: [\n"})
    assert main(["schema", "--root", str(project.root)]) == 0
    build(tmp_path / "other", {"defs/vocabulary.yaml": b"dtypes: [f32, f32]\n"})
    assert main(["schema", "--root", str(tmp_path / "other")]) == 2
    assert "error[D024]" in capsys.readouterr().err
