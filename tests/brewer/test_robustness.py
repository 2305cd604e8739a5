"""Whatever stands in a definition, the answer is a result or diagnostics, no traceback; a mistake writes nothing."""

import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import jinja2
import pytest

from brewer.command_line import main
from brewer.definition_files import load_headers, load_vocabulary
from brewer.load import check_together
from brewer.problems import Problems
from brewer.project import Project
from brewer.rendering import Renderer
from tests.brewer.case_files import read_case
from tests.brewer.miniature import TEMPLATES, build
from tests.brewer.mutants import mutant
from tests.brewer.odd_mutants import odd_mutant
from tests.brewer.test_schema import FILES, project_of

EVERYTHING = read_case(Path(__file__).parent / "cases" / "everything.case").files["defs/neuron/X.yaml"].decode()
DEFINITIONS = sorted(FILES)
NAMES = frozenset(Path(file).stem for file in FILES)
COMPILED: dict[str, jinja2.Environment] = {}  # the templates, which are those of the project in every mutant
OURS = {"D080", "D081"}  # a mistake in a template or in rendered text would be one of ours


def test_mutants_of_the_definitions_never_raise(tmp_path: Path) -> None:
    succeeded = brew_mutants(range(200), tmp_path)
    assert 20 < succeeded < 180  # both ends are reached


@pytest.mark.long
@pytest.mark.parametrize("start", range(200, 2000, 200))
def test_more_mutants_of_the_definitions_never_raise(start: int, tmp_path: Path) -> None:
    brew_mutants(range(start, start + 200), tmp_path)


def test_odd_mutants_of_the_definitions_never_raise(tmp_path: Path) -> None:
    succeeded = brew_mutants(range(60), tmp_path, odd)
    assert 0 < succeeded < 30


@pytest.mark.long
@pytest.mark.parametrize("start", range(60, 860, 200))
def test_more_odd_mutants_of_the_definitions_never_raise(start: int, tmp_path: Path) -> None:
    brew_mutants(range(start, start + 200), tmp_path, odd)


def test_a_run_with_a_mistake_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = build(tmp_path, {"defs/neuron/X.yaml": EVERYTHING.encode()})
    assert main(["--root", str(project.root)]) == 0
    for seed in range(20):
        before = below_generated(project)
        changed = (odd if seed % 2 else mutant)(EVERYTHING, random.Random(seed))
        (project.definitions / "neuron" / "X.yaml").write_bytes(changed)
        code = main(["--root", str(project.root)])
        said = capsys.readouterr().err
        assert code in (0, 2) and "Traceback" not in said and not any(f"[{ours}]" in said for ours in OURS), said
        assert code == 0 or below_generated(project) == before


def odd(text: str, choose: random.Random) -> bytes:
    return odd_mutant(text, list(FILES.values()), choose)


def brew_mutants(seeds: Iterable[int], folder: Path, change: Callable[[str, random.Random], bytes] = mutant) -> int:
    """Reads and renders mutants of the project's definitions; returns how many had no mistake."""
    (folder / "templates").symlink_to(TEMPLATES)
    succeeded = 0
    for seed in seeds:
        choose = random.Random(seed)
        file = choose.choice(DEFINITIONS)
        project = project_of(folder, file)
        (folder / file).write_bytes(change(FILES[file], choose))
        problems = found_in(project)
        assert all(found.render() for found in problems.found), f"seed {seed}"
        assert all(found.message.isprintable() for found in problems.found), f"seed {seed}"
        assert not OURS & {found.code for found in problems.found}, f"seed {seed}: {problems.found}"
        succeeded += not problems.found
        for path in folder.glob("defs/*/*.yaml"):
            path.unlink()
    return succeeded


def found_in(project: Project) -> Problems:
    """The mistakes in the one definition of the project, or else in its rendered text."""
    problems = Problems()
    vocabulary = load_vocabulary(project, problems)
    headers = load_headers(project, problems)
    if vocabulary is None:
        return problems
    # Wrappers of other definitions must not look as if they had none.
    headers = replace(headers, unread=headers.unread | NAMES - {header.name.value for header in headers.headers})
    instructions = check_together(project, headers, vocabulary, problems)
    if not problems.found:
        renderer = Renderer(project, instructions, problems)
        renderer.__dict__["environment"] = COMPILED.setdefault("templates", renderer.environment)
        for rendered in renderer.render_all():
            compile(rendered.text, rendered.path, "exec")
    return problems


def below_generated(project: Project) -> dict[str, tuple[bytes, int]]:
    """The content and time of every file there."""
    files = [path for path in sorted(project.generated.rglob("*")) if path.is_file()]
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}
