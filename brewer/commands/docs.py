"""Writes the reference documentation of the instructions: Markdown, a page a definition, and one HTML file with search.

  brewer docs                        to build/reference
  brewer docs --output public/isa    to another folder

The HTML file, index.html, needs no other file and no network. Pages of definitions that are gone are removed; files
that brewer did not write stay, and are never overwritten. The pages say what the definitions say, so there is no need
to check them in.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from brewer.documentation.html import FILE as HTML
from brewer.documentation.html import html_text
from brewer.documentation.markdown import MARKER, markdown_files
from brewer.documentation.reference import make_reference
from brewer.load import load
from brewer.problems import Problems
from brewer.project import Project
from brewer.report import say
from runtime.diagnostics import Place, shown_path

_FOLDER = "build/reference"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", metavar="FOLDER", help=f"where to write them (default: {_FOLDER} of the project)")


def run(project: Project, options: argparse.Namespace) -> int:
    """Writes what differs. Raises: DiagnosticsError for mistakes in definitions, and for files that are not ours."""
    reference = make_reference(project, load(project))
    files = {**markdown_files(reference), HTML: html_text(reference)}
    folder = Path(os.path.abspath(options.output)) if options.output else project.root / _FOLDER
    _check(folder, files)
    n_written = sum(_write(folder / name, text) for name, text in sorted(files.items()))
    n_removed = _remove_others(folder, files)
    removed = f", {n_removed} removed" if n_removed else ""
    count = f"{n_written} of {len(files)} files written{removed}"
    say([f"{count}; to read them, open {shown_path(str(folder / HTML))}"], sys.stdout)
    return 0


def _check(folder: Path, files: Mapping[str, str]) -> None:
    problems = Problems()
    for name in sorted(files):
        path = folder / name
        if path.is_file() and not _is_ours(path):
            help = "move it away, or choose another folder with --output"
            problems.error("D082", Place(str(path), 1, 1), "this file was not written by brewer", help=help)
    problems.raise_if_any()


def _write(path: Path, text: str) -> bool:
    data = text.encode()
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return True


def _remove_others(folder: Path, files: Mapping[str, str]) -> int:
    """Removes pages of definitions that are gone."""
    wanted = {folder / name for name in files}
    gone = [path for path in sorted(folder.rglob("*.md")) if path not in wanted and path.is_file() and _is_ours(path)]
    for path in gone:
        path.unlink()
    return len(gone)


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        return MARKER.encode() in file.read(400)
