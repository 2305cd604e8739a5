"""Classes brewed from definitions of a test, on the real runtime: what is rendered is run, not only looked at."""

import shutil
from pathlib import Path
from types import ModuleType

from brewer.load import load
from brewer.problems import Problems
from brewer.project import Project
from brewer.rendering import Renderer
from runtime.instructions import Instruction

HERE = Project.of_this_tool()


def brewed_class(definition: str, folder: Path, dialect: str = "neuron") -> type[Instruction]:
    """The class of the definition, whose first line is its name; nothing is written below the real `generated/`."""
    name = definition.partition("\n")[0].removeprefix("name: ")
    project = Project(folder)
    (folder / "defs" / dialect).mkdir(parents=True)
    shutil.copy(HERE.definitions / "vocabulary.yaml", folder / "defs")
    (folder / "defs" / dialect / f"{name}.yaml").write_text(definition)
    shutil.copytree(HERE.root / "runtime", folder / "runtime", ignore=shutil.ignore_patterns("wrappers", "*.pyc"))
    shutil.copytree(HERE.templates, folder / "templates")
    problems = Problems()
    files = Renderer(project, load(project), problems).render_all()
    problems.raise_if_any()
    module = ModuleType(f"{name}Gen")
    text = next(file.text for file in files if file.path == f"generated/{dialect}/{name}Gen.py")
    exec(compile(text, f"{name}Gen.py", "exec"), module.__dict__)
    made = getattr(module, f"{name}Gen")
    assert isinstance(made, type) and issubclass(made, Instruction)
    return made
