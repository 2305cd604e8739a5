"""Products of the tensor engine beside numpy in f64, and JAX.

Operands are whole numbers where results are compared bit for bit: their sums are exact in f32, in any order.
"""

from collections.abc import Iterator
from typing import Any

import jax
import ml_dtypes
import numpy as np

from tests.runtime.semantics.check import Check, outputs
from tests.runtime.semantics.tiles import tile

RNG = np.random.default_rng


def whole(seed: int, dtype: Any, *shape: int) -> Any:
    return RNG(seed).integers(-8, 9, shape).astype(dtype)


def matmul() -> Iterator[tuple[Any, Any]]:
    kinds = (np.float32, ml_dtypes.bfloat16, np.float16, ml_dtypes.float8_e4m3, ml_dtypes.float8_e5m2)
    for seed, dtype in enumerate(kinds):
        for k, m, n in ((128, 128, 40), (7, 1, 3), (1, 5, 1)):
            left, right = whole(seed, dtype, k, m), whole(seed + 10, dtype, k, n)
            found = tile("matmul %a, %b", f"f32[{m},{n}]", a=left, b=right)[0]
            yield found, left.astype(float).T @ right.astype(float)
    x, y = (RNG(seed).normal(size=(64, 32)).astype(np.float32) for seed in (1, 2))
    yield tile("matmul %a, %b", "f32[32,32]", a=x, b=y)[0], np.asarray(jax.numpy.einsum("km,kn->mn", x, y))


def double_row() -> Iterator[tuple[Any, Any]]:
    """The example of the documentation: [1, 256] @ [256, 3] as [128, 2, 1] and [128, 2, 3]."""
    left = whole(3, ml_dtypes.float8_e4m3, 128, 2, 1)
    right = whole(4, ml_dtypes.float8_e5m2, 128, 2, 3)
    found = tile("matmul %a, %b {perf_mode = double_row}", "f32[1,3]", target="trn2", a=left, b=right)[0]
    yield found, left.astype(float).reshape(256, 1).T @ right.astype(float).reshape(256, 3)


PROGRAM = """func @main(%a: bf16[32,8], %b: bf16[32,16]) {
  tensor %p: KIND[8,16] psum
  %p = matmul %a, %b
  for %i = 0 step 1 times 3 {
    %p = matmul %a, %b {accumulate = true}
  }
  %y: f32[8,16] = tensor_copy %p
  return %y
}"""


def accumulate() -> Iterator[tuple[Any, Any]]:
    left, right = (whole(seed, ml_dtypes.bfloat16, 32, n) for seed, n in ((5, 8), (6, 16)))
    product = left.astype(np.float32).T @ right.astype(np.float32)
    yield outputs(PROGRAM.replace("KIND", "f32"), a=left, b=right)[0], 4 * product
    held = product.astype(ml_dtypes.bfloat16)
    for _ in range(3):  # as the Trainium3 guide says: up to f32, added there, rounded back
        held = (held.astype(np.float32) + product).astype(ml_dtypes.bfloat16)
    yield outputs(PROGRAM.replace("KIND", "bf16"), a=left, b=right)[0], held.astype(float)


def transposition() -> Iterator[tuple[Any, Any]]:
    x = RNG(7).normal(size=(16, 5)).astype(np.float32)
    x[3, 2], x[4, 4] = np.nan, -np.inf
    eye = np.eye(16, dtype=np.float32)
    yield tile("matmul %a, %b {is_transpose = true}", "f32[5,16]", a=x, b=eye)[0], x.T
    narrow = x.astype(ml_dtypes.bfloat16)
    found = tile("matmul %a, %b {is_transpose = true}", "bf16[5,16]", a=narrow, b=eye.astype(ml_dtypes.bfloat16))[0]
    yield found.astype(float), narrow.T.astype(float)


CHECKS = (
    Check("matmul", "numpy in f64; jax.numpy.einsum", matmul, 1e-6),
    Check("matmul", "numpy, the documentation's example of double_row", double_row, 0),
    Check("matmul", "numpy, the Trainium3 guide's sums in PSUM", accumulate, 0),
    Check("matmul", "numpy's transpose", transposition, 0),
)
