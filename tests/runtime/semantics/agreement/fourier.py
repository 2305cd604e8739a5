"""Fourier transforms beside numpy and JAX; in fixed point beside a recursion on Python's integers, bit for bit."""

from __future__ import annotations

import itertools
import math

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from generated.vocabulary import FFT_NORMS, FFT_SCALINGS
from tests.runtime.semantics.check import Array, Check, Pairs
from tests.runtime.semantics.from_arrays import type_of
from tests.runtime.semantics.one_line import computed

RNG = np.random.default_rng


def block(numbers: Array) -> Array:
    return np.concatenate([numbers.real, numbers.imag], -1)


def divisor(norm: str, inverse: bool, n: int) -> float:
    return {"unscaled": 1, "backward": n if inverse else 1, "forward": 1 if inverse else n, "ortho": math.sqrt(n)}[norm]


def fft() -> Pairs:
    """Lengths with and without factors, both directions, all norms; what JAX calls so; bf16; no rows."""
    for n, norm, inverse in itertools.product((1, 2, 7, 12, 16), FFT_NORMS, (False, True)):
        z = RNG(n).normal(size=(3, n)) + 1j * RNG(n + 1).normal(size=(3, n))
        sign = 1 if inverse else -1
        matrix = np.exp(sign * 2j * np.pi * np.outer(np.arange(n), np.arange(n)) / n)
        line = f"graph.fft %x {{inverse = {str(inverse).lower()}, norm = {norm}}}"
        yield computed(line, f"f64[3,{2 * n}]", x=block(z))[0], block(z @ matrix / divisor(norm, inverse, n))
    z = RNG(2).normal(size=(2, 3, 10)) + 1j * RNG(3).normal(size=(2, 3, 10))
    with jax.enable_x64(True):
        for inverse, norm in ((False, "ortho"), (True, "backward")):
            transform = jnp.fft.ifft if inverse else jnp.fft.fft
            line = f"graph.fft %x {{inverse = {str(inverse).lower()}, norm = {norm}}}"
            yield computed(line, "f64[2,3,20]", x=block(z))[0], block(np.asarray(transform(z, norm=norm)))
    narrow = block(z[0]).astype(ml_dtypes.bfloat16)
    wide = narrow.astype(np.float64)
    rounded = block(np.fft.fft(wide[:, :10] + 1j * wide[:, 10:])).astype(ml_dtypes.bfloat16)
    yield computed("graph.fft %x", "bf16[3,20]", x=narrow)[0], rounded
    yield computed("graph.fft %x", "f64[0,4]", x=np.zeros((0, 4)))[0], np.zeros((0, 4))


def fixed(value: float) -> int:
    return int(math.copysign(math.floor(abs(value) * 2**30 + 0.5), value))


def half_up(value: int, bits: int) -> int:
    return word((value + (1 << bits >> 1)) >> bits)


def word(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def clipped(value: int) -> int:
    return max(-(2**31), min(2**31 - 1, value))


def recursive(numbers: list[tuple[int, int]], sign: int, scaling: str) -> list[tuple[int, int]]:
    """Return the transform of the even and of the odd numbers, put together."""
    n = len(numbers)
    if n == 1:
        return numbers
    even, odd = (recursive(numbers[start::2], sign, scaling) for start in (0, 1))
    add = clipped if scaling == "saturate" else word
    stage = n.bit_length() - 2
    halves = scaling == "per_stage" or scaling == "every_other" and stage % 2 == 0
    first, second = [], []
    for k, ((ar, ai), (br, bi)) in enumerate(zip(even, odd, strict=True)):
        c, s = fixed(math.cos(2 * math.pi * k / n)), fixed(sign * math.sin(2 * math.pi * k / n))
        tr, ti = half_up(c * br - s * bi, 30), half_up(c * bi + s * br, 30)
        sums = (add(ar + tr), add(ai + ti)), (add(ar - tr), add(ai - ti))
        first.append(tuple(half_up(v, halves) for v in sums[0]))
        second.append(tuple(half_up(v, halves) for v in sums[1]))
    return [*first, *second]  # type: ignore[list-item]


def fft_q() -> Pairs:
    """Small and full-scale numbers, so that sums wrap around and are clipped."""
    for n, scaling, inverse in itertools.product((1, 2, 8, 32), FFT_SCALINGS, (False, True)):
        for norm, size in (
            ("unscaled", 1 << 20),
            ("unscaled", 1 << 31),
            ("forward", 999),
            ("backward", 999),
            ("ortho", 999),
        ):
            x = RNG(n).integers(-size, size, (2, 2 * n)).astype(np.int32)
            rows = []
            for row in x.tolist():
                found = recursive(list(zip(row[:n], row[n:], strict=True)), 1 if inverse else -1, scaling)
                parts = [part for pair in zip(*found, strict=True) for part in pair]
                if norm == "ortho":
                    parts = [half_up(part * fixed(1 / math.sqrt(n)), 30) for part in parts]
                elif divisor(norm, inverse, n) == n > 1:
                    parts = [half_up(part, n.bit_length() - 1) for part in parts]
                rows.append(parts)
            line = f"graph.fft_q %x {{inverse = {str(inverse).lower()}, norm = {norm}, scaling = {scaling}}}"
            yield computed(line, type_of(x), x=x)[0], np.array(rows, np.int32)


def fft_q_beside_floats() -> Pairs:
    """The error of each stage is below one unit, and doubled by the halving of later stages at most."""
    n = 256
    z = (RNG(5).normal(size=n) + 1j * RNG(6).normal(size=n)) * 2**20
    x = np.rint(block(z)).astype(np.int32)
    expected = block(np.fft.fft(x[:n] + 1j * x[n:]))
    for scaling, gain in (("wrap", 1), ("saturate", 1), ("every_other", 16), ("per_stage", 256)):
        yield computed(f"graph.fft_q %x {{scaling = {scaling}}}", f"i32[{2 * n}]", x=x)[0] * float(gain), expected


def butterfly_stage() -> Pairs:
    """All stages of bit-reversed numbers are a transform; what is left out stays, and NaN in it touches nothing."""
    n, batch = 16, 3
    z = RNG(7).normal(size=(batch, n)) + 1j * RNG(8).normal(size=(batch, n))
    order = [int(f"{at:04b}"[::-1], 2) for at in range(n)]
    state = pairs_of(z[:, order])
    b = np.arange(n // 2)
    on, off = np.ones(n // 2), np.zeros(n // 2)
    for stage in range(4):
        span = 2**stage
        w = np.exp(-1j * np.pi * (b % span) / span)
        state = stage_of(state, on, off, w, stage)
    yield state, pairs_of(np.fft.fft(z))
    gate, reverse = (b % 3 != 0).astype(float), (b % 2 == 1) * 0.5
    w = np.exp(1j * b)
    before = pairs_of(z)
    for stage in range(4):
        expected = z.copy()
        for at in b[gate != 0]:
            i = at // 2**stage * 2 ** (stage + 1) + at % 2**stage
            pair = z[:, i] + w[at] * z[:, i + 2**stage], z[:, i] - w[at] * z[:, i + 2**stage]
            expected[:, i], expected[:, i + 2**stage] = pair[::-1] if reverse[at] else pair
        yield stage_of(before, gate, reverse, w, stage), pairs_of(expected)
    left_out = stage_of(np.array([[[np.nan, 1], [-0.0, np.inf]]]), np.zeros(1), np.ones(1), np.ones(1) + 0j, 0)
    yield left_out, np.array([[[np.nan, 1], [-0.0, np.inf]]])


def pairs_of(numbers: Array) -> Array:
    return np.stack([numbers.real, numbers.imag], -1)


def stage_of(state: Array, gate: Array, reverse: Array, w: Array, stage: int) -> Array:
    line = f"graph.fft_butterfly_stage %x gate %g reverse %r twiddles %c, %s stage {stage} of {state.shape[1]}"
    given = {"x": state, "g": gate, "r": reverse, "c": w.real.copy(), "s": w.imag.copy()}
    return computed(line, type_of(state), **given)[0]


CHECKS = (
    Check("graph.fft", "products with the matrix of the transform, jax.numpy.fft", fft, 1e-13),
    Check("graph.fft_butterfly_stage", "numpy.fft.fft, a loop over butterflies", butterfly_stage, 1e-14),
    Check("graph.fft_q", "a recursion on Python's integers", fft_q, 0),
    Check("graph.fft_q", "numpy.fft.fft", fft_q_beside_floats, 1e-4),
)
