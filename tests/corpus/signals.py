"""Signals such as the models of the corpus are made for: speech, music, pictures and text, always the same ones.

Deliberately absent: recordings and photographs. These are made up, in the range, spectrum and shape of real ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_FONT = {
    "B": "11110 10001 10001 11110 10001 10001 11110",
    "R": "11110 10001 10001 11110 10100 10010 10001",
    "E": "11111 10000 10000 11110 10000 10000 11111",
    "W": "10001 10001 10001 10101 10101 11011 10001",
}

PROGRAM = '''#!/usr/bin/env python3
"""Count the words of the files that are named on the command line."""

import sys
from collections import Counter


def count(path: str) -> Counter[str]:
    with open(path, encoding="utf-8") as lines:
        return Counter(word.lower() for line in lines for word in line.split())


if __name__ == "__main__":
    for name in sys.argv[1:]:
        for word, times in count(name).most_common(10):
            print(f"{name}: {word!r} {times:,}")
'''
"""A file as its author would write it."""


def as_f32(values: Any) -> Array:
    """Return values as an array of f32."""
    return np.asarray(values, np.float32)


def speech(seconds: float, rate: int = 16_000, seed: int = 1) -> Array:
    """Return voiced syllables with a gliding pitch and moving formants, hisses and pauses over a quiet room.

    Shapes: (samples,), between -1 and 1, the peak at 0.5.
    """
    random = np.random.default_rng(seed)
    time = np.arange(round(seconds * rate)) / rate
    pitch = 110 + 12 * seed + 20 * np.sin(2 * np.pi * 0.6 * time + seed) + 3 * np.sin(2 * np.pi * 5 * time)
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    formants = (
        (500 + 250 * np.sin(2 * np.pi * 1.3 * time), 120, 1.0),
        (1500 + 600 * np.sin(2 * np.pi * 0.9 * time + seed), 180, 0.5),
        (2600 + 200 * np.sin(2 * np.pi * 0.5 * time), 250, 0.25),
    )
    voiced = np.zeros_like(time)
    for harmonic in range(1, 30):
        loudness = 0.02 / harmonic
        for centre, width, gain in formants:
            loudness = loudness + gain * np.exp(-(((harmonic * pitch - centre) / width) ** 2))
        voiced += loudness * np.sin(harmonic * phase)
    syllables = np.clip(np.sin(2 * np.pi * 2.2 * time), 0, None) ** 0.5
    sentence = (time % 3.0 < 2.4).astype(float)
    hiss = np.diff(random.standard_normal(len(time)), prepend=0.0) * np.clip(-np.sin(2 * np.pi * 2.2 * time), 0, None)
    sound = sentence * (voiced * syllables + 0.15 * hiss) + 1e-3 * random.standard_normal(len(time))
    return as_f32(0.5 * sound / np.abs(sound).max())


def music(seconds: float, rate: int = 22_050, seed: int = 1) -> Array:
    """Return notes of a piano-like sound, several at a time.

    Shapes: (samples,), the peak at 0.8.
    """
    random = np.random.default_rng(seed)
    time = np.arange(round(seconds * rate)) / rate
    sound = 1e-4 * random.standard_normal(len(time))
    for start, note in zip(np.arange(0, seconds, 0.22), (60, 64, 67, 72, 71, 67, 64, 62, 55, 59), strict=False):
        since = np.clip(time - start, 0, None)
        frequency = 440 * 2 ** ((note - 69) / 12)
        for harmonic in range(1, 8):
            strength = np.exp(-3 * since * harmonic**0.5) / harmonic**1.5
            sound += (time >= start) * strength * np.sin(2 * np.pi * harmonic * frequency * since)
    return as_f32(0.8 * sound / np.abs(sound).max())


def picture(height: int, width: int, seed: int = 1) -> Array:
    """Return a picture with the spectrum of natural ones, and some plain shapes on it.

    Shapes: (height, width, 3), from 0 to 255.
    """
    random = np.random.default_rng(seed)
    distance = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.rfftfreq(width)[None])
    distance[0, 0] = 1
    scene = np.empty((height, width, 3))
    for colour in range(3):
        noise = np.fft.rfft2(random.standard_normal((height, width))) / distance
        noise[0, 0] = 0
        texture = np.fft.irfft2(noise, (height, width))
        scene[..., colour] = 120 + 45 * texture / texture.std()
    rows, columns = np.mgrid[:height, :width]
    for _ in range(5):
        row, column, size = random.uniform(0, height), random.uniform(0, width), random.uniform(0.1, 0.3) * height
        inside = ((rows - row) / size) ** 2 + ((columns - column) / (0.7 * size)) ** 2 < 1
        scene[inside] = 0.3 * scene[inside] + 0.7 * random.uniform(40, 230, 3)
    return as_f32(np.clip(scene, 0, 255).round())


def line_of_text(height: int, width: int, text: str = "BREWER", seed: int = 1) -> Array:
    """Return dark letters on light paper, as a camera sees them: soft edges and a little noise.

    Shapes: (height, width, 3), from 0 to 255.
    """
    ink = np.concatenate([np.pad(_letter(letter), ((1, 1), (1, 0))) for letter in text], axis=1)
    scale = min(height // ink.shape[0], width // ink.shape[1])
    ink = np.kron(ink, np.ones((scale, scale)))
    page = np.zeros((height, width))
    top = (height - ink.shape[0]) // 2
    page[top : top + ink.shape[0], : ink.shape[1]] = ink
    return _photographed(page, seed)


def page_of_text(height: int, width: int, seed: int = 1) -> Array:
    """Return lines of text below each other.

    Shapes: (height, width, 3), from 0 to 255.
    """
    page = np.full((height, width, 3), 235.0, np.float32)
    for at, top in enumerate(range(16, height - 40, 48)):
        page[top : top + 32, 16 : width - 16] = line_of_text(32, width - 32, "BREWER"[: 3 + at % 4], seed + at)
    return page


def _letter(letter: str) -> Array:
    return np.array([[int(dot) for dot in row] for row in _FONT[letter].split()], float)


def _photographed(ink: Array, seed: int) -> Array:
    padded = np.pad(ink, 1, mode="edge")
    height, width = ink.shape
    soft = sum(padded[row : row + height, column : column + width] for row in range(3) for column in range(3)) / 9
    noise = np.random.default_rng(seed).normal(0, 3, (height, width, 3))
    return as_f32(np.clip(235 - 200 * np.asarray(soft)[..., None] + noise, 0, 255).round())
