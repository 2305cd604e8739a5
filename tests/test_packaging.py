"""What a user installs: the list of packages against the tree, the extras, and the two commands of the README."""

import re
import tomllib
from importlib import import_module
from typing import Any

from tests.tree import ROOT, SHIPPED_FOLDERS, files, imports_of, modules

DATA_FOLDERS = ("defs", "templates")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
COMMAND = re.compile(
    r"^python3 -m venv \.venv && \.venv/bin/pip install (?:-q )?-e '\.\[(\w+)\]' && \.venv/bin/python -m (\w+)$", re.M
)


def test_every_shipped_folder_is_a_listed_package_and_nothing_else_is() -> None:
    packages = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for path in files()
        if path.relative_to(ROOT).parts[0] in (*SHIPPED_FOLDERS, *DATA_FOLDERS)
        and path.suffix in (".py", ".yaml", ".j2", ".case")
    }
    assert PROJECT["tool"]["setuptools"]["packages"] == sorted(packages)


def test_every_data_file_matches_a_shipped_pattern() -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["*"]
    left_out = [
        str(path.relative_to(ROOT))
        for path in files()
        if path.relative_to(ROOT).parts[0] in DATA_FOLDERS and not any(path.match(pattern) for pattern in patterns)
    ]
    assert not left_out


def test_every_package_is_marked_as_typed() -> None:
    top = {package.partition(".")[0] for package in PROJECT["tool"]["setuptools"]["packages"]} - set(DATA_FOLDERS)
    assert [name for name in sorted(top) if not (ROOT / name / "py.typed").is_file()] == []


def test_every_console_script_has_its_function() -> None:
    scripts: dict[str, str] = PROJECT["project"]["scripts"]
    for module, _, function in (target.partition(":") for target in scripts.values()):
        assert callable(getattr(import_module(module), function))


def test_the_readme_has_two_commands_that_do_all_set_up() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = COMMAND.findall(readme)
    assert [module for _, module in commands] == ["brewer", "pytest"]
    for extra, module in commands:
        pins = [requirement for requirement in EXTRAS[extra] if requirement.startswith("black==")]
        assert len(pins) == 1, f"`{module}`: the extra {extra!r} must pin black, which formats generated code, exactly"


def test_the_pinned_black_lies_in_the_range_that_users_get() -> None:
    (pin,) = (requirement for requirement in EXTRAS["test"] if requirement.startswith("black=="))
    (allowed,) = (requirement for requirement in PROJECT["project"]["dependencies"] if requirement.startswith("black"))
    lower, upper = re.findall(r"[<>]=?([\d.]+)", allowed)
    assert _numbers(lower) <= _numbers(pin.removeprefix("black==")) < _numbers(upper)


def test_the_extra_for_developers_holds_the_one_for_tests() -> None:
    (inherited,) = (requirement for requirement in EXTRAS["dev"] if requirement.startswith("brewer["))
    assert {"test", "bench"} <= set(re.findall(r"\w+", inherited))


def test_each_front_end_has_an_extra_with_the_libraries_that_it_imports() -> None:
    extras = {name: requirements for name, requirements in EXTRAS.items() if name not in ("bench", "dev", "test")}
    for name, requirements in extras.items():
        own = [module for module in modules() if module.name.startswith(f"frontends.{name}.")]
        imported = {one.module.partition(".")[0] for module in own for one in imports_of(module)}
        wanted = [re.match(r"[\w-]+", requirement)[0].replace("-", "_") for requirement in requirements]  # type: ignore[index]
        assert wanted and set(wanted) <= imported, f"the extra {name}"
    assert sorted(extras) == sorted(path.parent.name for path in (ROOT / "frontends").glob("*/__init__.py"))


def test_ci_finds_the_readme_command_for_the_tests() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"grep -E '([^']+)' README\.md", script.replace("'\\''", "\x00"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in readme if re.search(pattern, line)] == [
        match.group() for match in COMMAND.finditer("\n".join(readme)) if match[2] == "pytest"
    ]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
