"""Features of sound that models take in place of samples: power and mel spectrograms, as their authors compute them.

Source: librosa's `power_to_db` and Slaney's mel scale; the Python files of the wheels.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.corpus.signals import Array, as_f32


def power_spectrogram(sound: Array, length: int, hop: int, size: int | None = None, centred: bool = False) -> Array:
    """Return the power of each frequency in each window of a sound.

    Shapes: (windows, size / 2 + 1); `size` of the Fourier transform, the window's `length` where not given.
    """
    if centred:
        sound = np.pad(sound, length // 2, mode="reflect")
    windows = sliding_window_view(sound.astype(np.float64), length)[::hop]
    spectrum = np.fft.rfft(windows * np.hanning(length + 1)[:-1], size or length)
    return np.asarray(np.abs(spectrum) ** 2)


def log_power(sound: Array, length: int, hop: int, size: int | None = None) -> Array:
    """Return the decimal logarithm of the power, not below -12."""
    return as_f32(np.log10(np.maximum(power_spectrogram(sound, length, hop, size), 1e-12)))


def mel_filters(bins: int, rate: int, mels: int) -> Array:
    """Return triangular filters, evenly spaced on Slaney's scale and of equal area.

    Shapes: (bins, mels).
    """
    highest = 15 + np.log(rate / 2 / 1000) * 27 / np.log(6.4)
    marks = np.linspace(0, highest, mels + 2)
    edges = np.where(marks < 15, marks * 200 / 3, 1000 * np.exp(np.log(6.4) / 27 * (marks - 15)))
    frequencies = np.linspace(0, rate / 2, bins)[:, None]
    rising = (frequencies - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - frequencies) / (edges[2:] - edges[1:-1])
    return np.asarray(np.maximum(0, np.minimum(rising, falling)) * 2 / (edges[2:] - edges[:-2]))


def mel_decibels(sound: Array, length: int, hop: int, rate: int, mels: int) -> Array:
    """Return a mel spectrogram in decibels below its peak, 80 at most, scaled from -1 to 1.

    Shapes: (windows, mels).
    """
    power = power_spectrogram(sound, length, hop, centred=True)
    mel = np.maximum(power @ mel_filters(power.shape[1], rate, mels), 1e-10)
    decibels = np.maximum(10 * np.log10(mel / mel.max()), -80)
    return as_f32((decibels + 40) / 40)


def whisper_features(sound: Array) -> Array:
    """Return the log-mel features of Whisper, of eight seconds.

    Shapes: (80, 800), between -1 and 2.
    """
    sound = np.pad(sound, (0, max(0, 128_000 - len(sound))))[:128_000]
    sound = (sound - sound.mean()) / np.sqrt(sound.var() + 1e-7)
    mel = power_spectrogram(sound, 400, 160, centred=True) @ mel_filters(201, 16_000, 80)
    logs = np.log10(np.maximum(mel, 1e-10)).T[:, :-1]
    return as_f32((np.maximum(logs, logs.max() - 8) + 4) / 4)
