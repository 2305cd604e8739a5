"""Modules import: each one first in a process, and the IR without the libraries of brewing and the front ends."""

import subprocess
import sys
from pathlib import Path

from tests.tree import ROOT, SHIPPED_FOLDERS, modules

NOT_FOR_RUNTIME = ("black", "jax", "jaxlib", "jinja2", "onnx", "onnx_ir", "yaml")


def test_each_shipped_module_may_be_the_first_one_imported(tmp_path: Path) -> None:
    names = [
        module.name
        for module in modules()
        # A front end needs its extra; its own tests import it.
        if module.name.partition(".")[0] in SHIPPED_FOLDERS and not module.name.startswith("frontends.")
    ]
    run = _run_python("-m", "tests.import_each_first", str(tmp_path), *names)
    assert run.returncode == 0, run.stdout + run.stderr


def test_runtime_imports_without_brewing_and_front_end_libraries() -> None:
    names = [module.name for module in modules() if module.name.partition(".")[0] in ("runtime", "generated", "passes")]
    program = (
        "import importlib, sys\n"
        f"sys.modules.update(dict.fromkeys({NOT_FOR_RUNTIME!r}))\n"
        f"for name in {names!r}:\n"
        "    importlib.import_module(name)\n"
    )
    run = _run_python("-c", program)
    assert run.returncode == 0, run.stderr


def _run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=120)
