"""The two ways to run a model give the same vectors, under the same name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from graphvine.workers.common.embedding import Embedder, EmbeddingPartsMissing, ModelNotUsable, open_embedder
from tests.common.embedding.small_models import write_small_model
from tests.common.embedding.texts import PLAIN, WILD

TEXTS = [*PLAIN, *WILD, *(f"{text} " * repeat for text in PLAIN for repeat in (3, 9, 40))]


@pytest.fixture(scope="module")
def light(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    embedder = open_embedder("light", cache_folder=tmp_path_factory.mktemp("cache"))
    yield embedder
    embedder.close()


@pytest.fixture(scope="module")
def sentence() -> Iterator[Embedder]:
    embedder = open_embedder("sentence-transformers", threads=2)
    yield embedder
    embedder.close()


def test_both_ways_give_the_same_vectors(light: Embedder, sentence: Embedder) -> None:
    one, other = light.embed(TEXTS), sentence.embed(TEXTS)
    assert one.dtype == other.dtype == np.float32
    assert np.abs(one - other).max() < 1e-5
    assert (one * other).sum(axis=1).min() >= 0.9999


def test_both_ways_say_the_same_of_the_model(light: Embedder, sentence: Embedder) -> None:
    for what in ("name", "dimension", "max_tokens"):
        assert getattr(light, what) == getattr(sentence, what)
    assert light.count_tokens(TEXTS) == sentence.count_tokens(TEXTS)


def test_the_library_itself_gives_these_vectors(light: Embedder) -> None:
    from sentence_transformers import SentenceTransformer

    from graphvine.workers.common.embedding.weights import require_packaged_folder

    model = SentenceTransformer(str(require_packaged_folder()), device="cpu")
    texts = [text for text in TEXTS if text.isprintable()]
    assert np.abs(light.embed(texts) - model.encode(texts)).max() < 1e-5


def test_a_vector_does_not_depend_on_its_neighbours(sentence: Embedder) -> None:
    alone = np.stack([sentence.embed([text])[0] for text in TEXTS])
    assert np.abs(sentence.embed(TEXTS) - alone).max() < 1e-5
    assert sentence.embed([]).shape == (0, sentence.dimension)


@pytest.mark.parametrize("pooling", ["mean_tokens", "cls_token"])
def test_other_models_agree_too(tmp_path: Path, pooling: str) -> None:
    folder = write_small_model(tmp_path / "mine", pooling=pooling)
    (folder / "modules.json").write_text(
        '[{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},'
        ' {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]'
    )
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 40, "do_lower_case": false}')
    one = open_embedder("light", folder, cache_folder=tmp_path / "cache")
    other = open_embedder("sentence-transformers", folder)
    assert np.abs(one.embed(TEXTS) - other.embed(TEXTS)).max() < 1e-5
    assert (one.name, one.dimension, one.max_tokens) == (other.name, other.dimension, other.max_tokens)
    one.close()
    other.close()


def test_a_model_that_can_not_be_had_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelNotUsable, match=r"nobody/no-such-model.*give a folder"):
        open_embedder("sentence-transformers", "nobody/no-such-model")


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", None)
    with pytest.raises(EmbeddingPartsMissing, match=r"pip install 'graphvine\[sentence-transformers\]'"):
        open_embedder("sentence-transformers")
