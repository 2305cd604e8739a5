"""brewer in a repository that is not its own: built in a temporary folder, brewed, imported and run there."""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from brewer.command_line import main
from brewer.settings import SETTINGS
from runtime.instruction_set import standard
from runtime.semantics import find
from tests.tree import ROOT

HOOK_KEYS = {"id", "name", "entry", "language"}  # what pre-commit asks of each

BASES = """\
from runtime.instructions import GraphInst


class AcmeInst(GraphInst):
    __slots__ = ()

    maker = "acme"
"""

WRAPPER = """\
from {package}.acme.ScaleGen import ScaleGen


class Scale(ScaleGen):
    __slots__ = ()

    @property
    def is_identity(self) -> bool:
        return self.factor == 1.0
"""

SEMANTICS = """\
import numpy


def scale(inst, operands):
    (src,) = operands
    return src.astype(numpy.float32) * numpy.float32(inst.factor)
"""

INFER = '''\
def scaled_type(src):
    """Return the type of what is scaled."""
    return src
'''

SCALE = """\
name: Scale
base: AcmeInst
wrapper: Scale
summary: Multiplies every element with a factor.
rhs_str: "acme.scale {ties} {src}(? factor {factor})"
operands:
  src: {dtypes: floats}
attributes:
  ties: {type: acme_tie}
  factor: {type: float, default: 2.0}
results:
  result: {infer: scaled_type}
op_kind: elementwise
semantics: filters.scale
"""

VOCABULARY = """\
dtypes: [f32, f16]
dtype_groups:
  floats: [f32, f16]
memories: [dram]
engines: [unknown]
targets: {acme1: [unknown]}
enums:
  acme_tie:
    doc: What becomes of what does not fit.
    values: [even, odd]
"""

FACTS = """\
facts: com.acme
operators:
  Blur:
    1: {op_kind: reduction, force_f32: true}
"""

USE = """
import io, numpy, runtime
from {package} import INSTRUCTIONS, ScaleGen
from {package}.acme.facts import FACTS
from {package}.vocabulary import ACME_TIES
from {wrappers} import Scale
from runtime.equality import why_different
from runtime.instruction_set import standard

classes = standard().joined(INSTRUCTIONS)
assert classes["acme.scale"] is Scale and issubclass(Scale, ScaleGen) and Scale.maker == "acme"
assert len(classes) == len(standard()) + 1 and "graph.activation" in classes
assert ACME_TIES == ("even", "odd") and FACTS
text = '''\\
func @main(%x: f32[2]) {{
  %0: f32[2] = acme.scale odd %x factor 3.0
  %1: f32[2] = acme.scale even %0
  %2: f32[2] = graph.activation neg %1
  return %2
}}
'''
module = runtime.parse(text, classes=classes)
assert runtime.print_module(module) == text
assert runtime.verify(module) == []
first = next(iter(module.insts))
assert type(first) is Scale and not first.is_identity
bir = io.StringIO()
runtime.write_bir(module, bir)
assert why_different(runtime.read_bir(bir.getvalue(), classes), module) is None
(out,) = runtime.run(module, {{"x": numpy.array([1.0, -0.5], numpy.float32)}}).values()
assert out.tolist() == [-6.0, 3.0], out
first.ties = "up"
(wrong,) = runtime.verify(module)
assert "up" in wrong.message
"""


def settings(top: str, folder: str = "") -> str:
    """`[tool.brewer]` for a repository whose code is the package `top`."""
    python = f'python = "{folder}"\n' if folder else ""
    names = {"output": "instructions", "wrappers": "wrappers", "semantics": "semantics", "inference": "infer"}
    lines = "".join(f'{key} = "{top}.{name}"\n' for key, name in names.items())
    return f'[project]\nname = "acme"\n\n[tool.brewer]\ndefinitions = "isa"\n{python}{lines}bases = ["{top}.bases"]\n'


def repository(root: Path, top: str = "acme", folder: str = "", further: Mapping[str, str] | None = None) -> Path:
    """A repository with one instruction that uses everything that there is, its code in the package `top`."""
    code = f"{folder}/{top}" if folder else top
    files = {
        "pyproject.toml": settings(top, folder),
        "isa/acme/Scale.yaml": SCALE,
        "isa/acme/com.acme.yaml": FACTS,
        "isa/vocabulary.yaml": VOCABULARY,
        f"{code}/__init__.py": "",
        f"{code}/bases.py": BASES,
        f"{code}/wrappers/__init__.py": "",
        f"{code}/wrappers/Scale.py": WRAPPER.format(package=f"{top}.instructions"),
        f"{code}/semantics/filters.py": SEMANTICS,
        f"{code}/infer.py": INFER,
        **(further or {}),
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def run(root: Path, *arguments: str, path: str = "") -> subprocess.CompletedProcess[str]:
    """Python in the repository, with brewer on its path as an installed distribution would be."""
    found = os.pathsep.join([str(root / path), str(ROOT)]) if path else str(ROOT)
    environment = {**os.environ, "PYTHONPATH": found, "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("PYTHONSAFEPATH", None)
    return subprocess.run(
        [sys.executable, *arguments], cwd=root, env=environment, capture_output=True, text=True, encoding="utf-8"
    )


def brew(root: Path, *arguments: str) -> str:
    done = run(root, "-m", "brewer", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def brewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = repository(tmp_path_factory.mktemp("acme"))
    brew(root)
    return root


@pytest.fixture
def copy(brewed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A brewed repository of its own, which is the current directory."""
    root = tmp_path / "copy"
    shutil.copytree(brewed, root)
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize(("top", "folder"), [("acme", ""), ("tools", "lib/python")])
def test_a_repository_is_brewed_and_its_classes_work(tmp_path: Path, top: str, folder: str) -> None:
    root = repository(tmp_path, top, folder)
    before = {path for path in root.rglob("*") if path.is_file()}
    output = f"{folder}/{top}/instructions".lstrip("/")
    assert f"wrote {output}/acme/ScaleGen.py" in brew(root)
    new = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file() and path not in before}
    names = ("__init__.py", "acme/ScaleGen.py", "acme/__init__.py", "acme/facts.py", "py.typed", "vocabulary.py")
    cache = {f".brewer_cache/{name}" for name in (".gitignore", "state", "templates", "written")}
    assert new == {f"{output}/{name}" for name in names} | cache
    assert brew(root, "--check") == f"{output}/ is up to date: 1 definition, 6 files\n"
    program = USE.format(package=f"{top}.instructions", wrappers=f"{top}.wrappers.Scale")
    done = run(root, "-c", program, path=folder)
    assert done.returncode == 0, done.stderr


def test_settings_are_found_from_below_and_from_elsewhere(
    copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (copy / "isa" / "pyproject.toml").write_text("[tool.other]\n", encoding="utf-8")
    for folder, arguments in (("isa/acme", []), ("isa", []), ("..", ["--root", "copy"])):
        monkeypatch.chdir(copy / folder)
        assert main(["--check", *arguments]) == 0
        assert capsys.readouterr().out == "acme/instructions/ is up to date: 1 definition, 6 files\n"


def test_what_is_stale_or_wrong_is_told_as_everywhere(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    definition = copy / "isa" / "acme" / "Scale.yaml"
    definition.write_text(SCALE.replace("default: 2.0", "default: 4.0"), encoding="utf-8")
    assert main(["--check"]) == 1
    assert "acme/instructions/acme/ScaleGen.py" in capsys.readouterr().out
    definition.write_text(SCALE.replace("acme_tie", "acme_tied"), encoding="utf-8")
    assert main([]) == 2
    said = capsys.readouterr().err
    assert "isa/acme/Scale.yaml:9:16: error[D017]" in said and 'did you mean "acme_tie"' in said


def test_an_empty_table_is_enough(tmp_path: Path) -> None:
    replaced = {"AcmeInst": "GraphInst", "wrapper: Scale\n": "", "{infer: scaled_type}": "{}"}
    replaced |= {"acme_tie": "perf_mode", "filters.scale": "graph.cast"}
    definition = SCALE
    for old, new in replaced.items():
        definition = definition.replace(old, new)
    (tmp_path / "defs" / "acme").mkdir(parents=True)
    (tmp_path / "defs" / "acme" / "Scale.yaml").write_text(definition, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.brewer]\n", encoding="utf-8")
    assert "wrote brewed/vocabulary.py" in brew(tmp_path)
    words = (tmp_path / "brewed" / "vocabulary.py").read_text(encoding="utf-8")
    assert words.startswith("# Generated by brewer from the definition in brewer's defs/vocabulary.yaml at line ")
    done = run(tmp_path, "-c", "from brewed.acme.ScaleGen import ScaleGen; print(ScaleGen.INFO.semantics)")
    assert done.stdout == "graph.cast\n", done.stderr


def test_a_template_replaces_the_one_of_its_name(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    template = copy / "looks" / "marker.j2"
    template.parent.mkdir()
    template.write_text("# Generated by brewer from {{ origin }}\n# Property of Acme.\n", encoding="utf-8")
    with (copy / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write('templates = "looks"\n')
    assert main([]) == 0
    brewed = (copy / "acme" / "instructions" / "acme" / "ScaleGen.py").read_text(encoding="utf-8")
    assert brewed.splitlines()[1] == "# Property of Acme." and "class ScaleGen(AcmeInst):" in brewed
    template.write_text("{{ orign }}\n", encoding="utf-8")
    assert main([]) == 2
    assert "looks/marker.j2:1:4: error[D080]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("list", "acme.scale"),
        ("show Scale", "brewed to acme/instructions/acme/ScaleGen.py"),
        ("where Scale.factor", "generated, in acme/instructions/acme/ScaleGen.py"),
        ("where isa/acme/Scale.yaml:5", "generated, in acme/instructions/acme/ScaleGen.py"),
        ("schema", '"acme_tie"'),
        ("docs --output pages", "5 of 5 files written; to read them, open pages/index.html"),
        ("new Shift --like Scale", "wrote isa/acme/Shift.yaml"),
    ],
)
def test_the_sub_commands_work_there(copy: Path, command: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command.split()) == 0
    assert said in capsys.readouterr().out


def test_the_changes_since_a_commit_are_told_there(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    who = ["-c", "user.name=x", "-c", "user.email=x@example.com"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "before"]):
        subprocess.run(["git", *who, *command], cwd=copy, check=True, capture_output=True)
    definition = copy / "isa" / "acme" / "Scale.yaml"
    definition.write_text(SCALE.replace("default: 2.0", "default: 4.0"), encoding="utf-8")
    assert main(["diff"]) == 0
    assert "factor" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("top", "further", "said"),
    [
        ("generated", {}, 'error[D114]: "generated" is the name of a package of brewer'),
        ("acme", {"passes/__init__.py": ""}, "help: rename passes/, or move it into a package of its own"),
        ("acme", {"generated.py": ""}, "help: rename generated.py, or move it into a package of its own"),
    ],
)
def test_names_that_collide_are_refused(
    tmp_path: Path, top: str, further: dict[str, str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    root = repository(tmp_path, top, further=further)
    assert main(["--root", str(root)]) == 2
    complaint = capsys.readouterr().err
    assert "error[D114]" in complaint and said in complaint
    assert not (root / top / "instructions").exists()


@pytest.mark.parametrize("name", ["runtime/__init__.py", "runtime.py"])
def test_a_driver_that_is_shadowed_says_so(tmp_path: Path, name: str) -> None:
    root = repository(tmp_path, further={name: ""})
    done = run(root, "-m", "brewer")
    assert done.returncode == 2
    assert "brewer needs its own package `runtime`, but Python finds" in done.stderr
    assert str(root / name.removesuffix("/__init__.py")) in done.stderr and "rename" in done.stderr
    done = run(root, "-P", "-m", "brewer")  # as the console script does, which does not look into the current directory
    assert done.returncode == 2 and "error[D114]" in done.stderr


def test_folders_without_packages_may_have_any_name(tmp_path: Path) -> None:
    further = {"runtime/notes.txt": "", "generated/proto/acme.h": "", "passes/boarding.txt": "", "brewer/beer.txt": ""}
    root = repository(tmp_path, further=further)
    brew(root)
    done = run(root, "-c", USE.format(package="acme.instructions", wrappers="acme.wrappers.Scale"))
    assert done.returncode == 0, done.stderr


def test_without_settings_a_message_says_what_to_write(tmp_path: Path) -> None:
    done = run(tmp_path, "-m", "brewer")
    assert done.returncode == 2
    assert "error[D115]" in done.stderr and "[tool.brewer] with, for example, output =" in done.stderr
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "acme"\n', encoding="utf-8")
    done = run(tmp_path, "-m", "brewer", "list")
    assert done.returncode == 2 and "pyproject.toml:1:1: error[D115]" in done.stderr
    assert run(tmp_path, "-m", "brewer", "explain", "D115").returncode == 0
    assert list(tmp_path.iterdir()) == [tmp_path / "pyproject.toml"]


def test_instructions_with_a_mnemonic_of_ours_are_not_joined() -> None:
    with pytest.raises(ValueError, match="two instructions would have the mnemonic tensor_copy"):
        standard().joined({"tensor_copy": ("acme", "Copy")})


def test_the_readme_shows_every_setting() -> None:
    readme = (ROOT / "brewer" / "README.md").read_text(encoding="utf-8")
    shown = tomllib.loads(readme.partition("```toml\n")[2].partition("```")[0])
    assert shown["tool"]["brewer"].keys() == SETTINGS.keys()


@pytest.mark.parametrize("name", ["acme.nothing.scale", "runtime.infer.nothing", "runtime.infer._hidden", "a..scale"])
def test_semantics_that_are_not_there_are_a_lookup_error(name: str) -> None:
    with pytest.raises(LookupError, match="has no function"):
        find(name)


def test_the_hooks_for_other_repositories_run(tmp_path: Path) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    root = repository(tmp_path)
    said = {}
    for hook in hooks:
        assert hook.keys() <= {*HOOK_KEYS, "description", "types_or", "pass_filenames", "require_serial"}
        assert hook.keys() >= HOOK_KEYS
        assert (hook["language"], hook["pass_filenames"]) == ("python", False)
        program, *arguments = hook["entry"].split()
        module = scripts[program].partition(".__main__:main")[0]
        said[hook["id"]] = run(root, "-m", module, *arguments).stdout
    assert list(said) == ["brewer", "brewer-check"]
    assert said["brewer"].startswith("wrote acme/instructions/") and "up to date" in said["brewer-check"]
