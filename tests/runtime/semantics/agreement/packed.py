"""Products with packed weights beside codes that are read one bit at a time, as their formats have them."""

import struct
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tests.runtime.semantics.check import Check, Pairs, outputs
from tests.runtime.semantics.small_floats import E2M1, E4M3, E5M2, meaning

RNG = np.random.default_rng
K, N = 64, 6


def int8() -> Iterator[tuple[str, str, dict[str, Any], Any]]:
    codes = RNG(1).integers(-128, 128, (K, N)).astype(np.int8)
    for block in (32, 24):
        scale = RNG(2).uniform(0.5, 2, (-(-K // block), N)).astype(np.float32)
        zero = RNG(3).integers(-9, 9, scale.shape).astype(np.float32)
        each = np.array([[scale[k // block, n] for n in range(N)] for k in range(K)], np.float64)
        away = np.array([[zero[k // block, n] for n in range(N)] for k in range(K)], np.float64)
        more = f"{{block_size = {block}}}"
        yield f"int8_block %x, %w scale %s {more}", "i8[64,6]", {"w": codes, "s": scale}, codes * each
        asym = f"int8_block_asym %x, %w scale %s zero_point %z {more}"
        yield asym, "i8[64,6]", {"w": codes, "s": scale, "z": zero}, (codes - away) * each


def halves() -> Iterator[tuple[str, str, dict[str, Any], Any]]:
    packed = RNG(4).integers(0, 256, K * N // 2).astype(np.uint8)
    codes = np.array([(packed[at // 2] >> (4 * (at % 2))) & 15 for at in range(K * N)]).reshape(K, N)
    scale = RNG(5).uniform(0.5, 2, (2, N)).astype(np.float32)
    each = np.repeat(scale.astype(np.float64), 32, axis=0)
    yield "int4_block %x, %w scale %s {block_size = 32}", "u8[192]", {"w": packed, "s": scale}, codes * each
    small = RNG(6).integers(0, 0x7F, (K // 16, N)).astype(np.uint8)
    numbers = np.array([[meaning(int(c), E2M1) for c in row] for row in codes])
    scales = np.array([[meaning(int(small[k // 16, n]), E4M3) for n in range(N)] for k in range(K)])
    yield "nvfp4_block %x, %w scale %s", "u8[64,3]", {"w": packed.reshape(64, 3), "s": small}, numbers * scales
    whole = {"w": packed, "s": small, "g": np.array([0.375], np.float32)}
    yield "nvfp4_block %x, %w scale %s global_scale %g", "u8[192]", whole, numbers * scales * 0.375


def floats() -> Iterator[tuple[str, str, dict[str, Any], Any]]:
    scale = RNG(7).uniform(0.5, 2, N).astype(np.float32)
    for name, form, largest in (("fp8_e4m3", E4M3, 0x7F), ("fp8_e5m2", E5M2, 0x7C)):
        codes = (RNG(8).integers(0, largest, (K, N)) | (RNG(9).integers(0, 2, (K, N)) << 7)).astype(np.uint8)
        numbers = np.array([[meaning(int(c), form) for c in row] for row in codes])
        yield f"{name} %x, %w", "u8[64,6]", {"w": codes}, numbers
        yield f"{name} %x, %w scale %s", "u8[64,6]", {"w": codes, "s": scale}, numbers * scale.astype(np.float64)


def matmul() -> Pairs:
    x = RNG(10).normal(size=(5, K))
    for family in (int8, halves, floats):
        for rhs, weights, arrays, numbers in family():
            yield outputs(_text(rhs, weights, arrays), x=x, **arrays)[0], np.einsum("mk,kn->mn", x, numbers)
    for scheme, (size, decode) in BLOCKS.items():
        packed = _blocks(size, K * N // 32, 11)
        numbers = _decoded(packed, size, decode).reshape(N, K)
        rhs, weights = f"gguf_{scheme} %x, %w", f"u8[{len(packed)}]"
        yield outputs(_text(rhs, weights, {}), x=x, w=packed)[0], np.einsum("mk,nk->mn", x, numbers)


def _text(rhs: str, weights: str, arrays: dict[str, Any]) -> str:
    scales = {"uint8": "u8", "float32": "f32"}
    more = [
        f", %{name}: {scales[array.dtype.name]}{list(array.shape)}".replace(" ", "")
        .replace(",%", ", %")
        .replace(":", ": ")
        for name, array in arrays.items()
        if name != "w"
    ]
    return f"""func @main(%x: f64[5,64], %w: {weights}{''.join(more)}) {{
      %y: f64[5,6] = graph.dequant_matmul {rhs}
      return %y
    }}"""


def grouped_matmul() -> Pairs:
    x, experts = RNG(12).normal(size=(5, K)), np.array([2, 0, 0, 2, 1], np.int32)
    for scheme, (size, decode) in BLOCKS.items():
        packed = _blocks(size, 3 * K * N // 32, 13)
        numbers = _decoded(packed, size, decode).reshape(3, N, K)
        text = f"""func @main(%x: f64[5,64], %w: u8[{len(packed)}], %e: i32[5]) {{
          %y: f64[5,6] = graph.dequant_grouped_matmul gguf_{scheme} %x, %w experts %e
          return %y
        }}"""
        yield outputs(text, x=x, w=packed, e=experts)[0], np.einsum("mk,mnk->mn", x, numbers[experts])


def expert_weights() -> Pairs:
    for scheme, (size, decode) in BLOCKS.items():
        packed = _blocks(size, 3 * K * N // 32, 14)
        text = f"""func @main(%w: u8[{len(packed)}]) {{
          %y: f64[3,64,6] = graph.dequant_moe_weights gguf_{scheme} %w
          return %y
        }}"""
        expected = np.swapaxes(_decoded(packed, size, decode).reshape(3, N, K), 1, 2)
        yield outputs(text, w=packed)[0], expected


def codebook_matmul() -> Pairs:
    for extent in (1, 2, 8):
        x, codebook = RNG(15).normal(size=(5, 8)), RNG(16).normal(size=(9, extent))
        indices = RNG(17).integers(0, 9, (6, 8 // extent)).astype(np.uint8)
        text = f"""func @main(%x: f64[5,8], %i: u8[6,{8 // extent}], %c: f64[9,{extent}]) {{
          %y: f64[5,6] = graph.synth_matmul %x, %i codebook %c
          return %y
        }}"""
        with jax.enable_x64(True):
            weights = jnp.take(jnp.asarray(codebook), indices, axis=0).reshape(6, 8)
            expected = np.asarray(jnp.asarray(x) @ weights.T)
        yield outputs(text, x=x, i=indices, c=codebook)[0], expected


def _blocks(size: int, count: int, seed: int) -> Any:
    """Return blocks of any bytes but their first ones, which are scales of about one."""
    blocks = RNG(seed).integers(0, 256, (count, size)).astype(np.uint8)
    if size == 17:
        blocks[:, 0] = RNG(seed).integers(120, 134, count)
        return blocks.ravel()
    head = 4 if size in (20, 24) else 2
    blocks[:, :head] = RNG(seed).uniform(-2, 2, (count, head // 2)).astype(np.float16).view(np.uint8)
    return blocks.ravel()


def _decoded(packed: Any, size: int, decode: Callable[[bytes], list[float]]) -> Any:
    return np.array(
        [number for at in range(0, len(packed), size) for number in decode(packed[at : at + size].tobytes())]
    )


def _q4_0(block: bytes) -> list[float]:
    scale, *codes = struct.unpack("<e16B", block)
    return [(c % 16 - 8) * scale for c in codes] + [(c // 16 - 8) * scale for c in codes]


def _q4_1(block: bytes) -> list[float]:
    scale, least, *codes = struct.unpack("<ee16B", block)
    return [c % 16 * scale + least for c in codes] + [c // 16 * scale + least for c in codes]


def _q5_0(block: bytes) -> list[float]:
    scale, fifth, *codes = struct.unpack("<eI16B", block)
    lower = [c % 16 for c in codes] + [c // 16 for c in codes]
    return [(code + 16 * (fifth >> at & 1) - 16) * scale for at, code in enumerate(lower)]


def _q5_1(block: bytes) -> list[float]:
    scale, least, fifth, *codes = struct.unpack("<eeI16B", block)
    lower = [c % 16 for c in codes] + [c // 16 for c in codes]
    return [(code + 16 * (fifth >> at & 1)) * scale + least for at, code in enumerate(lower)]


def _q8_0(block: bytes) -> list[float]:
    scale, *codes = struct.unpack("<e32b", block)
    return [code * scale for code in codes]


def _mxfp4(block: bytes) -> list[float]:
    exponent, *codes = struct.unpack("<17B", block)
    scale = 2.0 ** (exponent - 127)
    return [meaning(c % 16, E2M1) * scale for c in codes] + [meaning(c // 16, E2M1) * scale for c in codes]


BLOCKS: dict[str, tuple[int, Callable[[bytes], list[float]]]] = {
    "q4_0": (18, _q4_0),
    "q4_1": (20, _q4_1),
    "q5_0": (22, _q5_0),
    "q5_1": (24, _q5_1),
    "q8_0": (34, _q8_0),
    "mxfp4": (17, _mxfp4),
}

CHECKS = (
    Check("graph.dequant_matmul", "blocks read by struct, numpy.einsum", matmul, 1e-14),
    Check("graph.dequant_grouped_matmul", "blocks read by struct, numpy.einsum", grouped_matmul, 1e-14),
    Check("graph.dequant_moe_weights", "blocks read by struct", expert_weights, 0),
    Check("graph.synth_matmul", "jax.numpy.take, matmul", codebook_matmul, 1e-14),
)
