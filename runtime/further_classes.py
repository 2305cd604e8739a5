"""Instructions of other repositories for the command lines: brewed packages, joined to the standard table.

Deliberately absent: looking for packages. Python finds them by their names, in the current directory and on PYTHONPATH;
who names one wants it to be imported.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

from runtime.diagnostics import Diagnostic, DiagnosticsError, listed
from runtime.instruction_set import InstructionSet, standard
from runtime.instructions import Instruction


def add_classes_argument(parser: argparse.ArgumentParser) -> None:
    """Give a command line `--classes`, whose values `instruction_classes` takes."""
    help = "a brewed package whose instructions the program has, too, such as acme.instructions; may be repeated"
    parser.add_argument("--classes", action="append", default=[], metavar="MODULE", help=help)


def instruction_classes(names: Iterable[str]) -> InstructionSet:
    """Return the standard table with the instructions of these packages. Each class is imported now.

    Raises: DiagnosticsError for what is no brewed package, cannot be imported, or has a mnemonic that is taken.
    """
    classes, names = standard(), tuple(dict.fromkeys(names))
    if names and os.getcwd() not in sys.path and "" not in sys.path:  # a console script looks beside itself
        sys.path.append(os.getcwd())
    for name in names:
        modules = _table_of(name)
        taken = sorted(modules.keys() & classes.keys())
        if taken:
            what = f"the mnemonic{'s' * (len(taken) > 1)} {listed(taken, 'and')} of {name}"
            owners = sorted({classes[mnemonic].__module__ for mnemonic in taken})
            raise _mistake(f"{what} belong{'s' * (len(taken) == 1)} to others already", f"to {listed(owners, 'and')}")
        for mnemonic, (module, class_name) in modules.items():
            _check_class(name, mnemonic, getattr(_imported(module, name), class_name, None), f"{module}.{class_name}")
        classes = classes.joined(modules)
    return classes


def _table_of(name: str) -> Mapping[str, tuple[str, str]]:
    package = _imported(name, name)
    table = getattr(package, "INSTRUCTIONS", None)
    if isinstance(table, Mapping) and all(_is_entry(*item) for item in table.items()):
        return table
    what = "no table INSTRUCTIONS" if table is None else "another INSTRUCTIONS than brewer writes"
    below = [f'"{name}.{each}"' for each in _brewed_below(package)]
    help = f"did you mean {listed(below)}?" if below else "name the package that `output` in [tool.brewer] names"
    raise _mistake(f"{name} has {what}, so it is no brewed package", help)


def _brewed_below(package: ModuleType) -> list[str]:
    """Return the packages right in a package that have a table."""
    files = (each for folder in getattr(package, "__path__", ()) for each in sorted(Path(folder).glob("*/__init__.py")))
    return [file.parent.name for file in files if b"\nINSTRUCTIONS: " in file.read_bytes()]


def _is_entry(mnemonic: object, found: object) -> bool:
    is_pair = isinstance(found, tuple) and len(found) == 2 and all(isinstance(each, str) for each in found)
    return isinstance(mnemonic, str) and is_pair


def _check_class(name: str, mnemonic: str, found: object, where: str) -> None:
    if not (isinstance(found, type) and issubclass(found, Instruction)):
        raise _mistake(f"{name} says that {mnemonic} is {where}, which is no instruction", "brew it again")


def _imported(module: str, named: str) -> ModuleType:
    """Return a module of a package that the user has named.

    Raises: DiagnosticsError for whatever stops it from being imported.
    """
    if not all(part.isidentifier() for part in module.split(".")):
        raise _mistake(f'"{module}" is not the name of a module', "write it as it is imported: acme.instructions")
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            help = "Python looks in the current directory and on PYTHONPATH"
            help += '; where [tool.brewer] has python = "src", that is PYTHONPATH=src'
            raise _mistake(f"there is no module {error.name}", help) from error
        raise _mistake(f"{named} cannot be imported: {error}") from error
    except (Exception, SystemExit) as error:  # whatever stands in it
        raise _mistake(f"{named} cannot be imported: {type(error).__name__}: {error}") from error


def _mistake(message: str, help: str = "") -> DiagnosticsError:
    return DiagnosticsError([Diagnostic("R007", message, help=help)])
