"""Recurrent networks beside the reference evaluator of ONNX, onnxruntime, and PyTorch's equations in JAX."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]

from tests.runtime.semantics.check import Check, Pairs, outputs
from tests.runtime.semantics.from_arrays import beside, by_jax, by_onnx, normal, program

BATCH, LENGTH, FEATURES, SIZE = 2, 4, 3, 5
GATES = {"rnn": 1, "gru": 3, "lstm": 4}
TO_ONNX = {"rnn": [0], "gru": [1, 0, 2], "lstm": [0, 3, 1, 2]}  # z r n of r z n; i o f g of i f g o


def single(name: str) -> Callable[[], Pairs]:
    """One layer and direction, with and without initial states, and all results."""

    def pairs() -> Iterator[tuple[Any, Any]]:
        for given, linear, length in itertools.product((False, True), (0, 1) if name == "gru" else (1,), (1, LENGTH)):
            inputs = _inputs(name, 1, 1, length)
            states = _states(name, 1) if given else {}
            more: dict[str, Any] = {"linear_before_reset": linear} if name == "gru" else {}
            expected = _by_onnx(name, 1, inputs, states, more)
            options = "{linear_before_reset = false}" if not linear else ""
            yield from beside(f"{_form(name, states)} {options}", *expected, **_named(inputs), **states)

    return pairs


def both_directions(name: str) -> Callable[[], Pairs]:
    """One layer in both directions, in f32 by onnxruntime."""

    def pairs() -> Iterator[tuple[Any, Any]]:
        inputs, states = _inputs(name, 1, 2, LENGTH), _states(name, 2)
        more: dict[str, Any] = {"linear_before_reset": 1} if name == "gru" else {}
        expected = _by_onnx(name, 2, inputs, states, more, by_onnxruntime)
        yield from beside(f"{_form(name, states)} {{bidirectional = true}}", *expected, **_named(inputs), **states)

    return pairs


def layers(name: str) -> Callable[[], Pairs]:
    """Any layers and directions, by `jax.lax.scan` of the equations of PyTorch."""

    def pairs() -> Iterator[tuple[Any, Any]]:
        for count, directions, relu in ((3, 2, False), *([(2, 1, True)] if name == "rnn" else [])):
            inputs, states = _inputs(name, count, directions, LENGTH), _states(name, count * directions)
            step = _relu if relu and name == "rnn" else STEPS[name]

            def network(x: Any, packed: Any, h: Any, n: int = count, d: int = directions, step: Any = step) -> Any:
                return _network(step, x, packed, h, n, d)

            expected = by_jax(network, inputs["x"], inputs, tuple(states.values()))
            options = f"layers = {count}, bidirectional = {str(directions == 2).lower()}"
            options += ", relu = true" if relu and name == "rnn" else ""
            yield from beside(f"{_form(name, states)} {{{options}}}", *expected, **_named(inputs), **states)

    return pairs


def without_last_states() -> Pairs:
    """The last states may be absent; of no items they are the initial ones."""
    inputs, states = _inputs("lstm", 1, 1, LENGTH), _states("lstm", 1)
    given, form = {**_named(inputs), **states}, _form("lstm", states)
    expected, _, cell = _by_onnx("lstm", 1, inputs, states, {})
    text = program(form, (expected, cell), given).replace(", %r1", ", none, %r1", 1)
    yield from zip(outputs(text, **given), (expected, cell), strict=True)
    nothing = {**given, "x": given["x"][:, :0]}
    yield from beside(form, np.zeros((BATCH, 0, SIZE)), *states.values(), **nothing)


def _inputs(name: str, count: int, directions: int, length: int) -> dict[str, Any]:
    """The operands; of weights and biases a list, with an array for each block."""
    rows = GATES[name] * SIZE
    widths = [FEATURES if at < directions else directions * SIZE for at in range(count * directions)]
    biases = ("b", "c") if name == "gru" else ("b",)
    return {
        "x": normal(1, BATCH, length, FEATURES),
        "w": [normal(10 + at, rows, width) for at, width in enumerate(widths)],
        "r": [normal(20 + at, rows, SIZE) for at in range(len(widths))],
        **{bias: [normal(ord(bias) + 9 * at, rows) for at in range(len(widths))] for bias in biases},
    }


def _states(name: str, count: int) -> dict[str, Any]:
    return {key: normal(50 + len(key), count, BATCH, SIZE) for key in (("h", "hc") if name == "lstm" else ("h",))}


def _named(inputs: dict[str, Any]) -> dict[str, Any]:
    """One block as it is, several packed."""
    packed = {key: np.concatenate([part.ravel() for part in array]) for key, array in inputs.items() if key != "x"}
    if len(inputs["w"]) == 1:
        packed |= {key: inputs[key][0] for key in ("w", "r")}
    return {"x": inputs["x"], **packed}


def _form(name: str, states: Sequence[str] | dict[str, Any]) -> str:
    biases = "%b, %c" if name == "gru" else "%b"
    initial = " hidden %h" * ("h" in states) + " cell %hc" * ("hc" in states)
    return f"graph.{name} %x size {SIZE} weights %w, %r bias {biases}{initial}"


def _by_onnx(
    name: str, directions: int, inputs: Any, states: Any, more: dict[str, Any], evaluate: Any = by_onnx
) -> list[Any]:
    """Return what ONNX makes of one layer: its gates stand in another order, and time comes first."""

    def rows(block: Any) -> Any:
        return np.concatenate([np.split(block, GATES[name])[at] for at in TO_ONNX[name]])

    w, r = (np.stack([rows(block) for block in inputs[key]]) for key in ("w", "r"))
    other = inputs.get("c") or [np.zeros_like(block) for block in inputs["b"]]
    b = np.stack([np.concatenate([rows(x), rows(y)]) for x, y in zip(inputs["b"], other, strict=True)])
    direction = "bidirectional" if directions == 2 else "forward"
    operands = (inputs["x"].swapaxes(0, 1), w, r, b, None, *states.values())
    count = 3 if name == "lstm" else 2
    found = evaluate(name.upper(), *operands, results=count, hidden_size=SIZE, direction=direction, **more)
    y = found[0].transpose(2, 0, 1, 3)  # time, direction, batch, element
    return [y.reshape(*y.shape[:2], -1), *found[1:]]


def by_onnxruntime(op: str, *operands: Any, results: int, **attributes: Any) -> list[Any]:
    """Return what onnxruntime makes of one operator in f32, as f64."""
    given = {f"x{at}": array.astype(np.float32) for at, array in enumerate(operands) if array is not None}
    names = [f"x{at}" if array is not None else "" for at, array in enumerate(operands)]
    outs, kind = [f"y{at}" for at in range(results)], onnx.TensorProto.FLOAT
    node = onnx.helper.make_node(op, names, outs, **attributes)
    infos = [onnx.helper.make_tensor_value_info(key, kind, array.shape) for key, array in given.items()]
    made = [onnx.helper.make_tensor_value_info(key, kind, None) for key in outs]
    graph = onnx.helper.make_graph([node], "g", infos, made)
    opset = onnx.helper.make_opsetid("", 21)
    model = onnx.helper.make_model(graph, opset_imports=[opset], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return [array.astype(np.float64) for array in session.run(None, given)]


def _network(step: Any, x: Any, packed: Any, initial: Any, count: int, directions: int) -> Any:
    """Any layers and directions of one cell; time is scanned, and batches are mapped over."""
    last = []
    for layer in range(count):
        sides = []
        for direction in range(directions):
            at = layer * directions + direction
            blocks = [packed[key][at] for key in "wrbc" if key in packed]  # jit has sorted the keys
            states = tuple(state[at] for state in initial)

            def one(sequence: Any, *h: Any, blocks: Any = blocks, back: bool = direction == 1) -> Any:
                return jax.lax.scan(lambda h, item: step(item, h, *blocks), h, sequence, reverse=back)

            final, ys = jax.vmap(one)(x, *states)
            sides.append(ys)
            last.append(final)
        x = jnp.concatenate(sides, axis=-1)
    return (x, *(jnp.stack(kind) for kind in zip(*last, strict=True)))


def _rnn(x: Any, h: Any, w: Any, r: Any, b: Any, function: Any = jnp.tanh) -> Any:
    h = function(w @ x + r @ h[0] + b)
    return (h,), h


def _relu(x: Any, h: Any, w: Any, r: Any, b: Any) -> Any:
    return _rnn(x, h, w, r, b, jax.nn.relu)


def _gru(x: Any, h: Any, w: Any, r: Any, b: Any, c: Any) -> Any:
    w_r, w_z, w_n = jnp.split(w @ x + b, 3)
    r_r, r_z, r_n = jnp.split(r @ h[0] + c, 3)
    reset, update = jax.nn.sigmoid(w_r + r_r), jax.nn.sigmoid(w_z + r_z)
    new = (1 - update) * jnp.tanh(w_n + reset * r_n) + update * h[0]
    return (new,), new


def _lstm(x: Any, h: Any, w: Any, r: Any, b: Any) -> Any:
    i, f, g, o = jnp.split(w @ x + r @ h[0] + b, 4)
    cell = jax.nn.sigmoid(f) * h[1] + jax.nn.sigmoid(i) * jnp.tanh(g)
    new = jax.nn.sigmoid(o) * jnp.tanh(cell)
    return (new, cell), new


STEPS = {"rnn": _rnn, "gru": _gru, "lstm": _lstm}
CHECKS = (
    *(Check(f"graph.{name}", f"onnx.reference {name.upper()}", single(name), 1e-13) for name in GATES),
    *(Check(f"graph.{name}", f"onnxruntime {name.upper()}, in f32", both_directions(name), 2e-6) for name in GATES),
    *(Check(f"graph.{name}", "PyTorch's equations, jax.lax.scan", layers(name), 1e-13) for name in GATES),
    Check("graph.lstm", "onnx.reference LSTM, some results only", without_last_states, 1e-13),
)
