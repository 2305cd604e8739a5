"""Imports each named module as the first of ours in a process of its own, and prints what went wrong.

    python -m tests.import_each_first FOLDER_FOR_BYTECODE MODULE ...

A fork taken before anything of ours is loaded is as fresh as an interpreter, and starts much faster. Third-party
packages are loaded once, up front; which part may import which of them is another test's subject. The forks share their
bytecode through a folder, whatever the environment says about writing it (162 modules: 7 s of CPU with, 11 s without).
"""

import contextlib
import importlib
import os
import sys
import traceback

THIRD_PARTY = ("numpy", "ml_dtypes", "yaml", "jinja2", "black")


def main(bytecode: str, names: list[str]) -> int:
    for package in THIRD_PARTY:
        with contextlib.suppress(ImportError):
            importlib.import_module(package)
    sys.pycache_prefix, sys.dont_write_bytecode = bytecode, False
    failed = [name for name in names if not _imports_in_fork(name)]
    return 1 if failed else 0


def _imports_in_fork(name: str) -> bool:
    sys.stdout.flush()
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] == 0
    code = 0
    try:
        importlib.import_module(name)
    except BaseException:
        print(f"--- {name} cannot be the first module imported:", traceback.format_exc(), sep="\n", flush=True)
        code = 1
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
