"""Ctrl-C while a driver still imports what it needs: one line and the status that shells give SIGINT, no traceback.

Deliberately absent: the start of Python itself, in which nothing of this project runs.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SAID = {
    "brewer": "interrupted; every file is whole, run brewer again for the others\n",
    "passes": "passes: interrupted; nothing was written\n",
    "runtime": "runtime: interrupted; nothing was written\n",
}
# Raises what Ctrl-C does as import number `at` begins, counted from the first one of the driver.
INTERRUPTING = """\
import runpy, sys

package, at, *arguments = sys.argv[1:]
imports = 0


class Interrupting:
    def find_spec(self, name, path=None, target=None):
        global imports
        imports += bool(imports) or name == f"{package}.__main__"
        if imports == int(at) + 1:
            raise KeyboardInterrupt


sys.argv = [package, *arguments]
sys.path.insert(0, ".")
sys.meta_path.insert(0, Interrupting())
runpy.run_module(package, run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("package", SAID)
@pytest.mark.parametrize("at", [1, 2, 8, 34])
def test_an_interruption_while_a_driver_imports(package: str, at: int, tmp_path: Path) -> None:
    arguments = {"brewer": ["--check"]}.get(package, [str(tmp_path / "program.txt")])
    (tmp_path / "program.txt").write_text("func @f() {\n}\n", encoding="utf-8")
    command = [sys.executable, "-c", INTERRUPTING, package, str(at), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", SAID[package])


@pytest.mark.parametrize("package", SAID)
def test_a_driver_imports_nothing_of_weight_before_it_can_be_interrupted(package: str) -> None:
    listing = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); before = set(sys.modules); import {package}.__main__;"
        f"print(*sorted({{*sys.modules}} - before - {{'{package}', '{package}.__main__'}}))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", listing], capture_output=True, text=True, check=True)
    assert {name.partition(".")[0] for name in done.stdout.split()} <= LIGHT


LIGHT = {"__future__", "_collections_abc", "_stat", "genericpath", "importlib", "os", "posixpath", "stat", "warnings"}
"""What Python itself imports at its start, unless it is told to leave out `site`, and `importlib`."""
