"""Cross entropies beside scipy, JAX and the reference evaluator of ONNX; their gradient beside JAX and differences."""

import jax
import jax.numpy as jnp
import numpy as np
from scipy import special

from tests.runtime.semantics.check import Check, Pairs, gradients
from tests.runtime.semantics.from_arrays import beside, by_onnx, normal, program, pulled_back

LARGE = np.array([[1000.0, 1001, 999], [-1000, -1001, 3], [0, 0, 0]])
LABELS = np.array([2, 0, 1])
ENDLESS, ONE = np.array([[np.inf, 1.0], [-np.inf, -np.inf]]), np.array([1, 1])  # a softmax has no numbers for them


def dense() -> Pairs:
    for logits in (3 * normal(1, 5, 4), LARGE, normal(2, 4, 1), normal(3, 0, 3)):
        form = "graph.softmax_cross_entropy %x targets %t"
        targets = special.softmax(normal(4, *logits.shape), axis=1)
        expected = -(targets * special.log_softmax(logits, axis=1)).sum(axis=1)
        yield from beside(form, expected, x=logits, t=targets)
        weights = normal(5, *logits.shape)  # whose sum is not 1
        expected = special.logsumexp(logits, axis=1) - (weights * logits).sum(axis=1)
        yield from beside(form, expected, x=logits, t=weights)
    never, certain = np.array([[-np.inf, 0.0]]), np.array([[0.0, 1.0]])
    yield from beside("graph.softmax_cross_entropy %x targets %t", np.array([np.nan]), x=never, t=certain)


def sparse() -> Pairs:
    form = "graph.softmax_cross_entropy_with_logits %x labels %l"
    for logits, labels in ((3 * normal(1, 5, 4), np.array([0, 3, 3, 1, 2])), (normal(2, 3, 3), LABELS)):
        (expected,) = by_onnx("SoftmaxCrossEntropyLoss", logits, labels, reduction="none")
        for dtype in (np.int64, np.int32, np.uint8, np.float32):
            yield from beside(form, expected, x=logits, l=labels.astype(dtype))
    expected = -special.log_softmax(LARGE, axis=1)[np.arange(3), LABELS]
    yield from beside(form, expected, x=LARGE, l=LABELS)
    yield from beside(form, np.zeros(0), x=LARGE[:0], l=LABELS[:0])
    rows = np.array([[-np.inf, 0.0], [0.0, -np.inf], [np.nan, 0.0]])
    expected = -special.log_softmax(rows, axis=1)[np.arange(3), [1, 1, 0]]
    yield from beside(form, expected, x=rows, l=np.array([1, 1, 0]))
    with np.errstate(invalid="ignore"):
        (expected,) = by_onnx("SoftmaxCrossEntropyLoss", ENDLESS, ONE, reduction="none")
    yield from beside(form, expected, x=ENDLESS, l=ONE)


def backward() -> Pairs:
    for logits in (3 * normal(1, 3, 4), LARGE, np.zeros((3, 3))):
        d = normal(6, 3)
        expected = pulled_back(_loss, (logits,), d)[0]
        for labels in (LABELS, LABELS.astype(np.float32)):
            form = "graph.softmax_cross_entropy_backward %x labels %l gradient %d"
            yield from beside(form, expected, x=logits, l=labels, d=d)
    expected = np.asarray(jax.nn.softmax(ENDLESS, axis=1)) - np.eye(2)[ONE]
    yield from beside(form, expected, x=ENDLESS, l=ONE, d=np.ones(2))


def _loss(x: jax.Array) -> jax.Array:
    return -jnp.take_along_axis(jax.nn.log_softmax(x, axis=1), LABELS[:, None], axis=1)[:, 0]


def differences() -> Pairs:
    inputs, d = {"x": 3 * normal(1, 3, 4), "l": LABELS}, normal(6, 3)
    text = program("graph.softmax_cross_entropy_with_logits %x labels %l", [d], inputs)
    form = "graph.softmax_cross_entropy_backward %x labels %l gradient %d"
    yield from beside(form, gradients(text, inputs, [d], "x"), **inputs, d=d)


CHECKS = (
    Check("graph.softmax_cross_entropy", "scipy.special.log_softmax, logsumexp", dense, 1e-14),
    Check("graph.softmax_cross_entropy_with_logits", "onnx.reference SoftmaxCrossEntropyLoss, scipy", sparse, 1e-14),
    Check("graph.softmax_cross_entropy_backward", "jax.vjp of jax.nn.log_softmax", backward, 1e-14),
    Check("graph.softmax_cross_entropy_backward", "differences", differences, 1e-7),
)
