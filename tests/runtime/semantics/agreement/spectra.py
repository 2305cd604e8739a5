"""What filters find in spectra beside the formula of Whisper in JAX, on spectra of numpy; gradients beside JAX."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from tests.runtime.semantics.check import Check, Pairs, gradients
from tests.runtime.semantics.from_arrays import beside, by_jax, normal, program, pulled_back


def whisper(complex_bins: Any, filters: Any) -> Any:
    """Return what `log_mel_spectrogram` of openai/whisper makes of one frame."""
    mel_spec = filters @ jnp.square(jnp.abs(complex_bins))
    log_spec = jnp.log10(jnp.clip(mel_spec, min=1e-10))
    return (jnp.maximum(log_spec, log_spec.max() - 8.0) + 4.0) / 4.0


def log_mel() -> Pairs:
    for n, shape in ((16, (3,)), (7, (2, 2)), (2, ()), (16, (0,))):
        sound, filters = normal(1, *shape, n), _filters(n, 5)
        spectrum = np.fft.fft(sound)
        bins = np.fft.rfft(sound).reshape(-1, n // 2 + 1)
        expected = np.reshape([by_jax(whisper, frame, filters) for frame in bins], (*shape, 5))
        yield from beside("graph.log_mel %x filters %f", expected, x=_block(spectrum), f=filters)
    quiet = np.fft.fft(normal(2, 16) * np.array(1e-3))
    filters = np.vstack([_filters(16, 3), np.zeros((1, 9)), 1e-9 * _filters(16, 1)])  # silent, and far below the rest
    expected = by_jax(whisper, quiet[:9], filters)
    yield from beside("graph.log_mel %x filters %f", expected, x=_block(quiet), f=filters)


def backward() -> Pairs:
    filters = np.vstack([_filters(16, 3), np.zeros((1, 9)), 1e-12 * _filters(16, 1)])
    for spectrum in (normal(3, 32), 1e-3 * normal(4, 32)):
        d = normal(5, 5)

        def forward(block: Any) -> Any:
            power = jnp.square(block[:9]) + jnp.square(block[16:25])
            energies = jnp.clip(filters @ power, min=1e-10)
            logarithms = jnp.log10(energies)
            floor = jax.lax.stop_gradient(logarithms.max() - 8)
            return (jnp.where(logarithms > floor, logarithms, floor) + 4) / 4

        expected = pulled_back(forward, (spectrum,), d)[0]
        form = "graph.log_mel_backward %x filters %f gradient %d"
        yield from beside(form, expected, x=spectrum, f=filters, d=d)
        both, twice = np.stack([spectrum, 2 * spectrum]), np.stack([d, d])
        rows = np.stack([expected, pulled_back(forward, (2 * spectrum,), d)[0]])
        yield from beside(form, rows, x=both, f=filters, d=twice)


def differences() -> Pairs:
    inputs, d = {"x": normal(3, 2, 12), "f": _filters(6, 3)}, normal(5, 2, 3)
    expected = gradients(program("graph.log_mel %x filters %f", [d], inputs), inputs, [d], "x")
    yield from beside("graph.log_mel_backward %x filters %f gradient %d", expected, **inputs, d=d)


def _filters(n: int, count: int) -> NDArray[np.float64]:
    return np.random.default_rng(n).uniform(0, 1, (count, n // 2 + 1))


def _block(spectrum: Any) -> NDArray[np.float64]:
    """All real parts, then all imaginary parts."""
    return np.concatenate([np.real(spectrum), np.imag(spectrum)], axis=-1)


CHECKS = (
    Check("graph.log_mel", "Whisper's formula in JAX, on numpy.fft", log_mel, 1e-13),
    Check("graph.log_mel_backward", "jax.vjp of Whisper's formula", backward, 1e-13),
    Check("graph.log_mel_backward", "differences", differences, 1e-7),
)
