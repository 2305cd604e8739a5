"""Which part may import which: the table of the house, held against the syntax tree of every module.

Imports inside functions and under TYPE_CHECKING count too: a layer that needs a name of a higher layer only for its
annotations still depends on it.
"""

import sys
from dataclasses import dataclass

from tests.tree import CODE_FOLDERS, Import, imports_of, modules

ANY = frozenset({"*"})


@dataclass(frozen=True)
class Layer:
    """What one part of the tree may import besides itself and the standard library."""

    ours: frozenset[str]
    third_party: frozenset[str] = frozenset()


LAYERS = {
    "brewer": Layer(ours=frozenset(), third_party=frozenset({"black", "jinja2", "yaml"})),
    "runtime": Layer(ours=frozenset(), third_party=frozenset({"ml_dtypes", "numpy"})),
    "runtime.wrappers": Layer(ours=frozenset({"runtime", "generated"})),
    "generated": Layer(ours=frozenset({"runtime", "runtime.wrappers"})),
    "passes": Layer(ours=frozenset({"runtime", "runtime.wrappers", "generated"})),
    "frontends": Layer(ours=frozenset({"runtime", "runtime.wrappers", "generated"})),
    "frontends.onnx": Layer(
        ours=frozenset({"frontends", "runtime", "runtime.wrappers", "generated"}),
        third_party=frozenset(
            {"google", "numpy", "onnx", "onnx_ir", "onnxruntime"}
        ),  # protobuf and numpy come with onnx
    ),
    "frontends.stablehlo": Layer(
        ours=frozenset({"frontends", "runtime", "runtime.wrappers", "generated"}),
        third_party=frozenset({"jax", "jaxlib"}),
    ),
    "bench": Layer(
        ours=frozenset({"brewer", "frontends", "frontends.onnx", "generated", "passes", "runtime", "runtime.wrappers"}),
        third_party=ANY,
    ),
    "tests": Layer(ours=ANY, third_party=ANY),
}
"""The table; the longest name that a module's name starts with is its layer."""

DRIVERS = frozenset({"brewer.__main__", "passes.__main__", "runtime.__main__", "runtime.instruction_set"})
"""May import any shipped part: the command lines, and the loader that hands out instruction classes lazily."""

SHARED_LEAVES = {"runtime.diagnostics": frozenset({"brewer"})}
"""Modules that another layer may use although the table has no such edge. They import nothing of ours."""


def test_every_import_is_allowed_by_the_table_of_layers() -> None:
    found = [
        f"{module.place}:{imported.line}: {complaint}"
        for module in modules()
        for imported in imports_of(module)
        if (complaint := why_not_import(module.name, imported))
    ]
    assert not found, "\n" + "\n".join(found)


def test_shared_leaves_import_nothing_of_ours() -> None:
    leaves = [module for module in modules() if module.name in SHARED_LEAVES]
    assert [module.name for module in leaves] == sorted(SHARED_LEAVES), "a shared leaf has moved: adapt SHARED_LEAVES"
    found = [
        f"{module.place}:{imported.line}: imports {imported.module}"
        for module in leaves
        for imported in imports_of(module)
        if is_ours(imported.module)
    ]
    assert not found, "\n" + "\n".join(found)


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = {
        module.name: sorted(
            {imported.module for imported in imports_of(module) if not imported.type_checking_only} - {module.name}
        )
        for module in modules()
    }
    circle = find_circle(graph)
    assert circle is None, "these modules import each other: " + " -> ".join(circle or [])


def test_the_table_refuses_what_it_must_refuse() -> None:
    refused = [
        ("runtime.values", "generated.neuron.TensorCopyGen"),
        ("runtime.values", "runtime.wrappers.TensorCopyDynamicBase"),
        ("runtime.values", "yaml"),
        ("brewer.model", "runtime.types"),
        ("brewer.model", "numpy"),
        ("generated.neuron.TensorCopyGen", "passes.framework"),
        ("generated.neuron.TensorCopyGen", "brewer"),
        ("passes.framework", "tests.tree"),
        ("passes.framework", "onnx"),
        ("bench.__main__", "tests.tree"),
        ("brewer.__main__", "tests.tree"),
        ("brewer.__main__", "bench.measure"),
        ("frontends.onnx.reader", "jaxlib.mlir"),
    ]
    accepted = [edge for edge in refused if why_not_import(edge[0], Import(edge[1], 1, False)) is None]
    assert not accepted
    assert why_not_import("brewer.model", Import("runtime.diagnostics", 1, False)) is None
    assert why_not_import("passes.framework", Import("runtime.wrappers.TensorCopyDynamicBase", 1, False)) is None
    assert find_circle({"a": ["b"], "b": ["c"], "c": ["b"]}) == ["b", "c", "b"]


def why_not_import(importer: str, imported: Import) -> str | None:
    """The reason why a module may not import another, or None."""
    if not is_ours(imported.module):
        return _why_not_third_party(importer, imported.module.partition(".")[0])
    importer_layer, imported_layer = layer_of(importer), layer_of(imported.module)
    allowed = LAYERS[importer_layer].ours
    if importer_layer == imported_layer or imported_layer in allowed or allowed == ANY:
        return None
    if importer in DRIVERS and imported_layer not in ("bench", "tests"):
        return None
    if importer_layer in SHARED_LEAVES.get(imported.module, frozenset()):
        return None
    return f"{importer_layer} may not import {imported_layer} ({imported.module})"


def layer_of(module: str) -> str:
    return max((name for name in LAYERS if f"{module}.".startswith(f"{name}.")), key=len)


def is_ours(module: str) -> bool:
    return module.partition(".")[0] in CODE_FOLDERS


def find_circle(graph: dict[str, list[str]]) -> list[str] | None:
    """A path of names that ends where it starts, or None; names that the graph does not hold are leaves."""
    finished: set[str] = set()
    path: list[str] = []

    def visit(name: str) -> list[str] | None:
        if name in path:
            return [*path[path.index(name) :], name]
        if name in finished:
            return None
        path.append(name)
        for target in graph.get(name, []):
            if circle := visit(target):
                return circle
        finished.add(path.pop())
        return None

    return next((circle for name in sorted(graph) if (circle := visit(name))), None)


def _why_not_third_party(importer: str, package: str) -> str | None:
    allowed = LAYERS[layer_of(importer)].third_party
    if package in sys.stdlib_module_names or package in allowed or allowed == ANY:
        return None
    return f"{layer_of(importer)} may not import {package}"
