"""The driver: `python -m passes`, and the console script `brewer-passes`.

Deliberately absent: an import that takes time before `main` runs, since Ctrl-C would be a traceback until then.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as type checkers read it; to import the one of `typing` takes milliseconds
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from passes.precision.policy_file import Mistakes
    from runtime.front_ends import FrontEnd

_NEEDED = ("runtime", "generated", "frontends")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, unless parts of it come from somewhere else; return the exit status."""
    try:
        complaint = why_shadowed()
        if complaint is not None:
            print(complaint, file=sys.stderr)
            return 2
        from passes.command_line import main as run

        return run(arguments, {".onnx": _onnx}, _yaml)
    except KeyboardInterrupt:
        print("passes: interrupted; nothing was written", file=sys.stderr)
        return 130  # as shells say of SIGINT


def _onnx() -> FrontEnd:
    """Return the front end for ONNX models, which needs the `onnx` extra."""
    from frontends.onnx.front_end import front_end

    return front_end()


def _yaml(file: str, data: bytes) -> tuple[Any, Mistakes]:
    """Return the tree of a file with a policy, and what collects its mistakes, as the brewer reads definitions."""
    from brewer.problems import Problems
    from brewer.text_files import FileKind
    from brewer.yaml_tree import read_tree

    problems = Problems()
    kind = FileKind("policy", "a policy says what it starts from, `base: autocast-f16`, or what its `kinds` run in")
    return read_tree(file, data, problems, kind), problems


def why_shadowed() -> str | None:
    """Return which package of this project is hidden by another one of the same name, earlier on the path, or None.

    The names are plain words, so a folder `runtime` in the current directory is enough.
    """
    from importlib.util import find_spec
    from pathlib import Path

    home = Path(__file__).resolve().parent.parent
    for name in _NEEDED:
        spec = find_spec(name)
        places = [Path(place).resolve() for place in (spec and spec.submodule_search_locations) or ()]
        if home / name not in places:
            found = ", ".join(map(str, places)) or (spec and spec.origin) or "none"
            return (
                f'passes: error: the package "{name}" of this project is at {home / name}, but Python finds {found}'
                f" first; run this from another directory, or take that one off PYTHONPATH"
            )
    return None


if __name__ == "__main__":
    sys.exit(main())
