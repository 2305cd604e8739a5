"""The driver: `python -m brewer`, and the console script `brewer`.

A run without arguments, by far the most common one, first finds out whether anything has changed at all. Until then
nothing is imported that takes time: where nothing has, Python itself takes most of it.
"""

import os
import sys

_TOOL = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line, unless parts of it come from somewhere else."""
    try:
        return _run_without_collector(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        print("interrupted; every file is whole, run brewer again for the others", file=sys.stderr)
        return 130  # as shells say of SIGINT


def _run_without_collector(arguments: list[str]) -> int:
    import gc  # here, where Ctrl-C is no traceback

    collects = gc.isenabled()
    gc.disable()  # nothing here lives in circles, and looking for them takes a fifth of the time
    try:
        return _run(arguments)
    finally:
        if collects:
            gc.enable()


def _run(arguments: list[str]) -> int:
    root = _root_of_plain_run(arguments)
    now = places = None
    if root is not None:
        from brewer.cache import kept_places, said_of_unchanged
        from brewer.fingerprints import take_fingerprints
        from brewer.places import Places

        places = kept_places(root) if _has_settings(root) else Places()
        now = take_fingerprints(root, _TOOL, places) if places else None
        said = said_of_unchanged(root, now) if now else None
        if said is not None:
            return _say(said)
    complaint = _why_shadowed()
    if complaint:
        print(complaint, file=sys.stderr)
        return 2
    if root is not None and now is not None and places is not None:
        from brewer.incremental import brew_what_changed

        code = brew_what_changed(root, now, places)
        if code is not None:
            return code
    from brewer.command_line import main as run

    return run(arguments, None if places is None or places.is_foreign else now)


def _root_of_plain_run(arguments: list[str]) -> str | None:
    """The project, where nothing else is asked for than to bring it up to date."""
    if not arguments:
        return _project_around(os.getcwd())
    option, equals, value = arguments[0].partition("=")
    if option != "--root" or len(arguments) != (1 if equals else 2):
        return None
    given = value if equals else arguments[1]
    return os.path.abspath(given) if given and not given.startswith("-") else None


def _project_around(folder: str) -> str | None:
    """The folder of the nearest pyproject.toml, where it is brewer's own or may have `[tool.brewer]`."""
    while not _has_settings(folder):
        above = os.path.dirname(folder)
        if folder == _TOOL:
            return folder
        if above == folder or os.path.exists(f"{folder}/pyproject.toml"):
            return None
        folder = above
    return folder


def _has_settings(folder: str) -> bool:
    """Whether its pyproject.toml may have `[tool.brewer]`, however it is written."""
    file = f"{folder}/pyproject.toml"
    if not os.path.isfile(file):
        return False
    try:
        with open(file, "rb") as stream:
            text = stream.read().replace(b" ", b"")
            return b"tool.brewer" in text or b"[tool]" in text
    except OSError:
        return False


def _say(line: str) -> int:
    try:
        print(line, flush=True)
        return 0
    except OSError:
        from brewer.report import NotSaid, say

    try:
        say([line], sys.stdout)
    except NotSaid as error:
        say([str(error)], sys.stderr)
        return 2
    return 0


def _why_shadowed() -> str | None:
    """Another package named `runtime` may stand before ours on the path; say so instead of failing inside it."""
    from importlib.util import find_spec

    spec = find_spec("runtime")
    found = [os.path.realpath(place) for place in (spec and spec.submodule_search_locations) or ()]
    if os.path.join(_TOOL, "runtime") in found:
        return None
    where = ", ".join(found) or (spec and spec.origin) or "none"
    return (
        f"brewer needs its own package `runtime`, but Python finds {where} first: rename that one, run brewer from"
        " another directory, or take it off PYTHONPATH"
    )


def _leave(code: int) -> None:
    """Ends the process without taking every object apart first, unless somebody looks on."""
    if sys.gettrace() is None and sys.getprofile() is None and sys.stdout and sys.stderr:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    _leave(main())
