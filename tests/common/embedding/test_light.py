"""The light way: right vectors, whatever the text and whoever stands beside it in the batch."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from graphvine.errors import SettingsError
from graphvine.workers.common.embedding import KINDS, open_embedder
from graphvine.workers.common.embedding.interface import ModelNotUsable
from graphvine.workers.common.embedding.light import LightEmbedder
from graphvine.workers.common.embedding.weights import MODEL_NAME, require_packaged_folder
from tests.common.embedding.reference import Reference
from tests.common.embedding.small_models import HEADS, LAYERS, PLACES, write_small_model
from tests.common.embedding.texts import PLAIN, WILD
from tests.support.threads import together


def token_ids(folder: Path, text: str) -> list[int]:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return list(tokenizer.encode(text).ids)


def test_the_vectors_are_those_of_the_published_model(light: LightEmbedder) -> None:
    folder = require_packaged_folder()
    reference = Reference(folder, layers=6, heads=12)
    texts = [PLAIN[0], "", "知識グラフ"]
    expected = np.stack([reference.vector(token_ids(folder, text)) for text in texts])
    assert np.abs(light.embed(texts) - expected).max() < 1e-5
    assert (light.name, light.dimension, light.max_tokens) == (MODEL_NAME, 384, 256)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_other_bert_models_run_from_their_folder(tmp_path: Path, pooling: str) -> None:
    mode = {"mean": "mean_tokens", "cls": "cls_token"}[pooling]
    folder = write_small_model(tmp_path / "mine", pooling=mode)
    reference = Reference(folder, layers=LAYERS, heads=HEADS, pooling=pooling)
    embedder = LightEmbedder(folder, cache_folder=tmp_path / "cache")
    expected = np.stack([reference.vector(token_ids(folder, text)) for text in PLAIN])
    assert np.abs(embedder.embed(PLAIN) - expected).max() < 1e-5
    assert embedder.name.startswith("mine@")
    embedder.close()


@pytest.mark.parametrize("pooling", ["mean_tokens", "cls_token"])
def test_the_first_questions_need_no_session_and_get_the_same_vectors(tmp_path: Path, pooling: str) -> None:
    folder = write_small_model(tmp_path / "mine", pooling=pooling)
    with closing(LightEmbedder(folder, cache_folder=tmp_path / "cache")) as built:
        expected = built.embed([*WILD, *PLAIN])
    for text, vector in zip([*WILD, *PLAIN], expected, strict=True):
        with closing(LightEmbedder(folder, cache_folder=tmp_path / "cache")) as asked:
            assert np.abs(asked.embed([text])[0] - vector).max() < 1e-5
            assert asked._opened is None or len(token_ids(folder, text)) > 64


def test_whoever_asks_more_often_gets_a_session(tmp_path: Path, small_model: Path) -> None:
    LightEmbedder(small_model, cache_folder=tmp_path).close()
    with closing(LightEmbedder(small_model, cache_folder=tmp_path)) as embedder:
        for _ in range(3):
            embedder.embed(["which plants climb"])
        assert embedder._opened is None
        embedder.embed(["which plants climb"])
        assert embedder._opened is not None
    with closing(LightEmbedder(small_model, cache_folder=tmp_path)) as embedder:
        embedder.embed(["one section", "and another"])
        assert embedder._opened is not None


def test_a_text_is_cut_at_the_model_s_length(small: LightEmbedder) -> None:
    words = [f"word{number}" for number in range(200)]
    first, second = small.embed([" ".join(words), " ".join([*words, "more"])])
    assert np.array_equal(first, second)
    assert small.max_tokens == PLACES
    assert small.count_tokens(["one two three", "", " ".join(["word"] * 200)]) == [5, 2, 202]


def test_related_texts_are_nearer(light: LightEmbedder) -> None:
    graph, wine, queue, vines = light.embed(PLAIN)
    assert wine @ vines > max(wine @ graph, wine @ queue)


def test_a_vector_does_not_depend_on_its_neighbours(light: LightEmbedder) -> None:
    texts = [*WILD, *PLAIN]
    alone = np.stack([light.embed([text])[0] for text in texts])
    assert np.abs(light.embed(texts) - alone).max() < 1e-5
    assert np.abs(light.embed(texts[::-1])[::-1] - alone).max() < 1e-5


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=80), max_size=12))
def test_any_texts_give_vectors_of_length_one(small: LightEmbedder, texts: list[str]) -> None:
    vectors = small.embed(texts)
    assert vectors.shape == (len(texts), small.dimension)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_threads_share_one_embedder(small: LightEmbedder) -> None:
    texts = [f"{text} {number}" for number in range(40) for text in PLAIN]
    expected = small.embed(texts)
    answers = together([lambda: small.embed(texts)] * 4)
    assert all(np.abs(answer - expected).max() < 1e-5 for answer in answers)


def test_more_texts_than_one_window_keep_their_order(small: LightEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{'word ' * (number % 7)}{number}" for number in range(50)]
    expected = small.embed(texts)
    monkeypatch.setattr("graphvine.workers.common.embedding.light._WINDOW", 8)
    assert np.abs(small.embed(texts) - expected).max() < 1e-5


def test_a_single_string_is_refused(small: LightEmbedder) -> None:
    with pytest.raises(TypeError, match="sequence"):
        small.embed("not a list")


def test_the_same_weights_have_the_same_name_wherever_they_lie(small_model: Path, tmp_path: Path) -> None:
    names = []
    for folder in (
        small_model,
        write_small_model(tmp_path / "small"),
        write_small_model(tmp_path / "2" / "small", seed=2),
    ):
        embedder = LightEmbedder(folder, cache_folder=tmp_path / "cache")
        names.append(embedder.name)
        embedder.close()
    assert names[0] == names[1] != names[2]


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"model_type": "roberta"}, "model_type is 'roberta'"),
        ({"hidden_act": "relu"}, "hidden_act is 'relu'"),
        ({"hidden_size": "wide"}, "settings can't be read"),
    ],
)
def test_a_model_that_the_graph_can_not_express_is_refused(tmp_path: Path, config: dict[str, str], reason: str) -> None:
    folder = write_small_model(tmp_path / "odd", **config)
    with pytest.raises(ModelNotUsable, match=reason):
        LightEmbedder(folder, cache_folder=tmp_path)


@pytest.mark.parametrize("pooling", ["max_tokens", "weightedmean_tokens"])
def test_a_pooling_that_the_graph_does_not_know_is_refused(tmp_path: Path, pooling: str) -> None:
    folder = write_small_model(tmp_path / "odd", pooling=pooling)
    with pytest.raises(ModelNotUsable, match=f"pooling is {pooling}"):
        LightEmbedder(folder, cache_folder=tmp_path)


def test_a_model_by_name_is_for_the_other_way(tmp_path: Path) -> None:
    with pytest.raises(ModelNotUsable, match="use the kind sentence-transformers"):
        open_embedder("light", "somebody/some-model", cache_folder=tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelNotUsable, match=r"no config\.json"):
        open_embedder("light", tmp_path / "empty", cache_folder=tmp_path)


def test_an_unknown_kind_is_a_clear_error() -> None:
    with pytest.raises(SettingsError, match="did you mean 'light'"):
        open_embedder("ligth")
    assert KINDS[0] == "light"
