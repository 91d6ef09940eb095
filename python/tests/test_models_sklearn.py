"""Click models have scikit-learn's manners, pickle, copy, and are loaded as they were saved."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pandas as pd
import pytest
from log_cases import text_of
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, ShuffleSplit, cross_val_score
from sklearn.utils.validation import check_is_fitted

import dcmrank as dr


def test_parameters_are_kept_as_they_are(model: dr.ClickModel) -> None:
    prior = [3, 4]
    changed = type(model)(prior=prior)  # type: ignore[call-arg]
    assert changed.get_params()["prior"] is prior
    assert clone(changed).get_params() == changed.get_params()
    assert changed.set_params(top=3, n_jobs=1) is changed and changed.top == 3
    with pytest.raises(ValueError, match="has no parameter 'depth'"):
        changed.set_params(depth=1)


def test_a_clone_is_not_fitted(model: dr.ClickModel, pages: dr.Table) -> None:
    check_is_fitted(model.fit(pages))
    with pytest.raises(dr.NotFittedError, match="is not fitted: call fit first"):
        clone(model).score(pages)
    assert not hasattr(clone(model), "attraction_")


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_cross_validation_keeps_sessions_together(library: str, logs: dict[str, Path]) -> None:
    table = dr.read_log(logs["yandex2011"], format="yandex2011").read()
    frame = getattr(table, f"to_{library}")()
    sessions = table["session"] % 50
    scores = cross_val_score(dr.PositionBasedModel(), frame, groups=sessions, cv=GroupKFold(4))
    plain = table.to_pandas()
    for score, (train, test) in zip(scores, GroupKFold(4).split(plain, groups=sessions)):
        fitted = dr.PositionBasedModel().fit(plain.iloc[train])
        assert score == fitted.score(plain.iloc[test])


def test_a_table_is_cross_validated_as_its_frame(pages: dr.Table) -> None:
    model = dr.PositionBasedModel()
    expected = cross_val_score(model, pages.to_pandas(), cv=4)
    assert cross_val_score(model, pages, cv=4).tolist() == expected.tolist()
    shuffled = ShuffleSplit(3, random_state=1)
    assert cross_val_score(model, pages, cv=shuffled).tolist() == \
        cross_val_score(model, pages.to_arrow(), cv=shuffled).tolist()  # fmt: skip


def test_a_log_says_that_its_pages_must_be_read_first(logs: dict[str, Path]) -> None:
    log = dr.read_log(logs["tsv"], format="tsv")
    with pytest.raises(TypeError, match=r"^a log is read from its files .* use log.read\(\), its pages$"):
        cross_val_score(dr.CascadeModel(), log)
    assert len(cross_val_score(dr.CascadeModel(), log.read())) == 5


def test_parameters_can_be_searched(pages: dr.Table) -> None:
    search = GridSearchCV(dr.DependentClickModel(), {"method": ["count", "em"]}, cv=3)
    search.fit(pages.to_pandas())
    assert search.best_params_ == {"method": "em"}


def test_it_pickles_and_copies(model: dr.ClickModel, pages: dr.Table, tmp_path: Path) -> None:
    for bare in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert bare.get_params() == model.get_params()
    text = text_of(model.fit(pages), tmp_path / "a")
    for twin in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert text_of(twin, tmp_path / "b") == text
        assert twin.score(pages) == model.score(pages)
        assert twin.attraction_ == model.attraction_


def test_it_is_loaded_as_it_was_saved(model: dr.ClickModel, pages: dr.Table, tmp_path: Path) -> None:
    text = text_of(model.set_params(prior=(2, 1)).fit(pages), tmp_path / "a")
    loaded = dr.load(tmp_path / "a")
    assert type(loaded) is type(model) and repr(loaded) == repr(model)
    assert text_of(loaded, tmp_path / "b") == text


def test_a_name_in_pandas_is_enough(pages: dr.Table) -> None:
    frame = pages.to_pandas()
    assert isinstance(dr.CascadeModel().fit(frame).attraction_.to_pandas(), pd.DataFrame)
