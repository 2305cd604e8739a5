"""Prints the JSON Schema of what stands below defs/, with the words of this project, for editors; or that of BIR.

  brewer schema                                              print it
  brewer schema --output build/definitions.schema.json       write it to a file

An editor with a YAML language server checks and completes a definition that starts with

  # yaml-language-server: $schema=../../build/definitions.schema.json

Run it again after a change of the vocabulary, of bases, wrappers or functions. What a schema cannot say, such as names
of fields beside each other, is told when brewing.

  brewer schema --bir                                        print the schema of programs as BIR, for other tools

It has the record of every instruction, in all its versions.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from brewer.bir_records import record_forms
from brewer.bir_schema import bir_schema
from brewer.definition_files import load_headers, load_vocabulary
from brewer.json_schema import Lists, Schema, json_schema
from brewer.load import load
from brewer.problems import Problems
from brewer.project import Project
from brewer.report import say
from brewer.vocabulary import Vocabulary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", metavar="FILE", help="write it to this file, in place of printing it")
    parser.add_argument("--bir", action="store_true", help="the schema of programs as BIR, in place of definitions")


def run(project: Project, options: argparse.Namespace) -> int:
    """Prints or writes the schema."""
    text = json.dumps(_of_bir(project) if options.bir else _of_definitions(project), indent=2)
    if options.output:
        path = Path(options.output)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n", encoding="utf-8")
    else:
        say([text], sys.stdout)
    return 0


def _of_definitions(project: Project) -> Schema:
    """Mistakes in definitions do not matter, since whoever edits one needs the schema."""
    problems = Problems()
    vocabulary = load_vocabulary(project, problems)
    problems.raise_if_any()
    assert vocabulary is not None
    return json_schema(words_of(project, vocabulary))


def _of_bir(project: Project) -> Schema:
    instructions = load(project)
    return bir_schema(record_forms(instructions, project.sources), instructions.vocabulary)


def words_of(project: Project, vocabulary: Vocabulary) -> Lists:
    """All words that a definition of the project may use, by the names that the tables of keys give their lists."""
    sources = project.sources
    files = load_headers(project, Problems())
    names = {header.name.value for header in files.headers} | files.unread
    return {
        **vocabulary.lists,
        **{f"enum {enum.name}": enum.values for enum in vocabulary.enums},
        "roots": sources.instruction_classes,
        "bases": (*sources.instruction_classes, *sorted(names)),
        "wrappers": tuple(sorted(sources.wrappers)),
        "semantics": ("none", *sorted(sources.semantics)),
        "inference": tuple(sorted(sources.inference)),
    }
