"""The driver: `python -m runtime`.

Deliberately absent: an import that takes time before `main` runs, since Ctrl-C would be a traceback until then.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as type checkers read it; to import the one of `typing` takes milliseconds
if TYPE_CHECKING:
    from collections.abc import Sequence

    from runtime.front_ends import FrontEnd


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, unless the instructions come from somewhere else; return the exit status."""
    try:
        complaint = why_shadowed()
        if complaint is not None:
            print(complaint, file=sys.stderr)
            return 2
        from runtime.command_line import main as run

        return run(arguments, {".onnx": _onnx})
    except KeyboardInterrupt:
        print("runtime: interrupted; nothing was written", file=sys.stderr)
        return 130  # as shells say of SIGINT


def _onnx() -> FrontEnd:
    """Return the front end for ONNX models, which needs the `onnx` extra."""
    from frontends.onnx.front_end import front_end

    return front_end()


def why_shadowed() -> str | None:
    """Return which package hides the brewed instructions, by the same name and earlier on the path, or None."""
    from importlib.util import find_spec
    from pathlib import Path

    home = Path(__file__).resolve().parent.parent / "generated"
    spec = find_spec("generated")
    places = [Path(place).resolve() for place in (spec and spec.submodule_search_locations) or ()]
    if home in places:
        return None
    found = ", ".join(map(str, places)) or (spec and spec.origin) or "none"
    return (
        f'runtime: error: the package "generated" of this project is at {home}, but Python finds {found} first; '
        f"run this from another directory, or take that one off PYTHONPATH"
    )


if __name__ == "__main__":
    sys.exit(main())
