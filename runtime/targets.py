"""The accelerator generations that programs are compiled for, and the figures that passes and verifiers read.

Deliberately absent: what an instruction may do on which target; that stands in its definition. A class of targets is a
range of generations: `target < trn2`.

Units: sizes are in bytes, per partition where the name does not say otherwise.

Sources, named at each figure:
- guide: AWS Neuron documentation, the architecture guides of Inferentia2 and Trainium 1, Trainium 2, Trainium 3.
- core: AWS Neuron documentation, the pages "NeuronCore-v1" to "NeuronCore-v3" and the glossary.
- isa: AWS Neuron documentation, `nki.isa`: `nc_matmul`, and the memories of each instruction.
- simulator: AWS Neuron documentation, the NKI simulator.
- study: third-party study of the compiler's target classes (Tonga, Sunda, Cayman, CoreV4); not confirmed by the vendor.
- assumed: stated nowhere; the figure of the next generation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from runtime.diagnostics import did_you_mean
from runtime.dtypes import DType, bf16, f4e2m1, f8e3m4, f8e4m3, f8e4m3fn, f8e5m2, f16, f32, f32r, i8, tf32, u8
from runtime.engines import NeuronEngine

KIB: Final = 1024


@dataclass(frozen=True, slots=True)
class Target:
    """One generation. Targets are ordered by generation; two of one generation are neither less nor greater."""

    name: str
    aliases: tuple[str, ...]  # lower case
    arch_level: int  # ten times the generation
    sbuf_bytes: int  # per partition, of which `sbuf_reserved_bytes` are not for tensors
    sbuf_reserved_bytes: int
    sbuf_partitions: int
    psum_bank_bytes: int  # per partition
    psum_banks: int
    matmul_banks: int  # that the result of a matmul may take
    matmul_writes: tuple[DType, ...]  # elements of the result of a matmul that is no transposition
    psum_partitions: int
    matmul_dtypes: tuple[DType, ...]  # of both operands
    mx_matmul_dtypes: tuple[DType, ...]  # elements of block-scaled operands, four of which are packed in one
    engines: tuple[NeuronEngine, ...]
    start_partitions: tuple[tuple[int, int], ...]  # up to so many partitions start at a multiple of so many
    perf_modes: tuple[tuple[str, tuple[DType, ...]], ...]  # faster modes of the tensor engine, and what they take
    enable_dma_cast: bool = True  # whether a DMA may convert what it moves; isa (dma_copy), inf1: assumed
    accumulate_on_alu_dtype: bool = True  # whether sums are accumulated in the dtype that the engines compute in; study

    def dtypes_in(self, perf_mode: str) -> tuple[DType, ...] | None:
        """Return the element types of both operands in a mode of the tensor engine; None where it has no such mode."""
        return dict(self.perf_modes).get(perf_mode)

    def getMatmultOperandType(self, dtype: DType, wanted: DType) -> DType:
        """Return what an operand of the tensor engine becomes where `wanted` is asked for in place of f32.

        Dtypes: only f32 is changed, and only to what the tensor engine takes; any other stays.
        """
        return wanted if dtype is f32 and wanted in self.matmul_dtypes else dtype

    def start_multiple(self, n_partitions: int) -> int:
        """Return what the first of `n_partitions` partitions of a compute engine's access is a multiple of; 1: any."""
        return next((multiple for most, multiple in self.start_partitions if n_partitions <= most), 1)

    @property
    def generation(self) -> int:
        """The number in "NeuronCore-v2"."""
        return self.arch_level // 10

    @property
    def sbuf_usable_bytes(self) -> int:
        """Bytes of a partition that tensors may take."""
        return self.sbuf_bytes - self.sbuf_reserved_bytes

    @property
    def psum_bytes(self) -> int:
        """Bytes of a PSUM partition, all banks together."""
        return self.psum_banks * self.psum_bank_bytes

    def __lt__(self, other: Target) -> bool:
        return self.arch_level < other.arch_level

    def __le__(self, other: Target) -> bool:
        return self.arch_level <= other.arch_level

    def __gt__(self, other: Target) -> bool:
        return self.arch_level > other.arch_level

    def __ge__(self, other: Target) -> bool:
        return self.arch_level >= other.arch_level

    def __str__(self) -> str:
        return self.name


class UnknownTargetError(ValueError):
    """No target has this name."""


def parse_target(name: str) -> Target:
    """Return the target with this name or alias, in upper or lower case.

    Raises: UnknownTargetError with near names.
    """
    found = _BY_NAME.get(name.lower())
    if found is None:
        known = ", ".join(target.name for target in TARGETS)
        raise UnknownTargetError(f'no target is called "{name}"; {did_you_mean(name, _BY_NAME) or f"known: {known}"}')
    return found


_ENGINES_V1 = (  # core
    NeuronEngine.TENSOR,
    NeuronEngine.VECTOR,
    NeuronEngine.SCALAR,
    NeuronEngine.DMA,
    NeuronEngine.SYNC,
)
_ENGINES_V2 = (  # core
    NeuronEngine.TENSOR,
    NeuronEngine.VECTOR,
    NeuronEngine.SCALAR,
    NeuronEngine.GPSIMD,
    NeuronEngine.DMA,
    NeuronEngine.SYNC,
)
_QUADRANTS = ((32, 32), (64, 64), (128, 128))  # guide
_DOUBLE_ROW_V3 = (("double_row", (f8e4m3, f8e5m2)),)  # isa
_DOUBLE_ROW_V4 = (("double_row", (f8e4m3, f8e4m3fn, f8e5m2)),)  # isa
_MATMUL_V1 = (bf16, f16, f32, f32r, f8e4m3, f8e5m2, i8, u8)  # study
_MATMUL_V2 = (*_MATMUL_V1, f8e3m4, tf32)  # study; tf32: isa
_MATMUL_V4 = (*_MATMUL_V2, f8e4m3fn)  # isa

inf1: Final = Target(
    name="inf1",
    aliases=("tonga", "gen1"),  # study
    arch_level=10,  # study
    sbuf_bytes=96 * KIB,  # study
    sbuf_reserved_bytes=0x4000,  # assumed
    sbuf_partitions=128,  # study
    psum_bank_bytes=2 * KIB,  # assumed
    psum_banks=4,  # study
    matmul_banks=1,  # assumed
    matmul_writes=(f32,),  # assumed
    psum_partitions=64,  # study
    matmul_dtypes=_MATMUL_V1,
    mx_matmul_dtypes=(),
    engines=_ENGINES_V1,
    start_partitions=(),  # not known, so nothing is said
    perf_modes=(),  # assumed
    accumulate_on_alu_dtype=False,  # study: of the second generation and later
)
trn1: Final = Target(
    name="trn1",
    aliases=("sunda", "inf2", "gen2"),  # study; gen2: simulator
    arch_level=20,  # study
    sbuf_bytes=192 * KIB,  # guide
    sbuf_reserved_bytes=0x4000,  # study
    sbuf_partitions=128,  # guide
    psum_bank_bytes=2 * KIB,  # guide
    psum_banks=8,  # guide
    matmul_banks=1,  # isa
    matmul_writes=(f32,),  # isa
    psum_partitions=128,  # guide
    matmul_dtypes=_MATMUL_V2,
    mx_matmul_dtypes=(),
    engines=_ENGINES_V2,
    start_partitions=_QUADRANTS,
    perf_modes=(),  # isa
)
trn2: Final = Target(
    name="trn2",
    aliases=("cayman", "trn3pre", "gen3"),  # study; gen3: simulator
    arch_level=30,  # study
    sbuf_bytes=224 * KIB,  # guide; core says 28 MiB in all
    sbuf_reserved_bytes=0x4008,  # study
    sbuf_partitions=128,  # guide
    psum_bank_bytes=2 * KIB,  # guide
    psum_banks=8,  # guide
    matmul_banks=1,  # isa
    matmul_writes=(f32,),  # isa
    psum_partitions=128,  # guide
    matmul_dtypes=_MATMUL_V2,
    mx_matmul_dtypes=(),
    engines=_ENGINES_V2,
    start_partitions=_QUADRANTS,
    perf_modes=_DOUBLE_ROW_V3,
)
trn3: Final = Target(
    name="trn3",
    aliases=("corev4", "core_v4", "mariana", "gen4"),  # study; gen4: simulator
    arch_level=40,  # study
    sbuf_bytes=256 * KIB,  # guide
    sbuf_reserved_bytes=0x4008,  # study
    sbuf_partitions=128,  # guide
    psum_bank_bytes=2 * KIB,  # guide
    psum_banks=8,  # guide
    matmul_banks=8,  # isa
    matmul_writes=(f32, bf16),  # isa
    psum_partitions=128,  # guide
    matmul_dtypes=_MATMUL_V4,
    mx_matmul_dtypes=(f8e4m3fn, f8e5m2, f4e2m1),  # isa
    engines=_ENGINES_V2,
    start_partitions=_QUADRANTS,
    perf_modes=_DOUBLE_ROW_V4,
)

TARGETS: Final = (inf1, trn1, trn2, trn3)
"""Every target, oldest first."""

_BY_NAME: Final = {name: target for target in TARGETS for name in (target.name, *target.aliases)}
