"""What click models refuse, in one line that names it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dcmrank as dr


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"method": "guess"}, ValueError, "method is 'guess', not 'count' or 'em'"),
        ({"method": 3}, TypeError, "method must be text, not int"),
        ({"prior": 1}, TypeError, r"prior must be two numbers \(A, B\), not int"),
        ({"prior": (1, 2, 3)}, ValueError, r"prior is not two numbers \(A, B\)"),
        ({"prior": (1, float("nan"))}, ValueError, "prior is nan, not between 0 and 1e"),
        ({"prior": (-1, 1)}, ValueError, "prior is -1, not between 0 and 1e"),
        ({"prior": ("1", 1)}, TypeError, "prior must be a number, not str"),
        ({"top": 0}, ValueError, "top is 0, not between 1 and"),
        ({"top": 1.5}, TypeError, "top must be an integer, not float"),
        ({"min_impressions": True}, TypeError, "min_impressions must be an integer"),
        ({"min_impressions": 10**9}, ValueError, "min_impressions leaves no query"),
        ({"tolerance": 2}, ValueError, "tolerance is 2, not between 0 and 1"),
        ({"max_iterations": 0}, ValueError, "max_iterations is 0, not between 1 and"),
        ({"max_tails": -1}, ValueError, "max_tails is -1, not between 1 and"),
        ({"termination": "none"}, ValueError, "termination is 'none', not 'per-query' or 'shared'"),
        ({"n_jobs": 0}, ValueError, "n_jobs is 0"),
        ({"progress": 3}, TypeError, "progress must be"),
    ],
)
def test_a_wrong_parameter_is_named(
    parameters: dict[str, Any], error: type[Exception], words: str, pages: dr.Table
) -> None:
    with pytest.raises(error, match=words) as raised:
        dr.DependentClickModel(**parameters).fit(pages)
    assert "\n" not in str(raised.value)


def test_a_method_that_a_model_has_not_is_refused(pages: dr.Table) -> None:
    with pytest.raises(ValueError, match="method count: the model pbm is fitted by em"):
        dr.PositionBasedModel(method="count").fit(pages)


def test_counts_cannot_do_what_needs_pages(pages: dr.Table) -> None:
    counts = dr.count(pages)
    with pytest.raises(ValueError, match="the counts lack what DependentClickModel"):
        dr.DependentClickModel(method="em").fit(counts)
    with pytest.raises(TypeError, match="data are counts, which have no pages"):
        dr.CascadeModel().fit(pages).score(counts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"format": "dcmrank.model", "version": 2}', "the file is of a later version"),
        ('{"format": "dcmrank.choice"}', "the file is a 'dcmrank.choice', not a model"),
        ("{", "wrong.json"),
        ("", "wrong.json"),
        ("\xff\xfe", "wrong.json"),
        ("dcmrank.counts\t3\n", "the file is of a later version"),
        ("dcmrank.counts\t1\n", "the file is cut off"),
        ('{"model": "xyz", "method": "count", "positions": 1, "queries": []}', "xyz"),
    ],
)
def test_a_file_of_another_kind_is_refused(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=words) as raised:
        dr.load(path)
    assert "\n" not in str(raised.value)


def test_a_file_with_more_clicks_than_pages_is_refused(pages: dr.Table, tmp_path: Path) -> None:
    dr.CascadeModel().fit(pages).save(tmp_path / "model.json")
    model = json.loads((tmp_path / "model.json").read_text())
    item = model["queries"][0]["items"][0]
    item["clicked"] = item["shown"] + 1
    (tmp_path / "model.json").write_text(json.dumps(model))
    with pytest.raises(ValueError, match=f'item \'{item["item"]}\' has "clicked" .*, above "shown"'):
        dr.load(tmp_path / "model.json")


def test_a_file_that_is_not_there_is_named(pages: dr.Table, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere.json"):
        dr.load(tmp_path / "nowhere.json")
    with pytest.raises(FileNotFoundError, match="model.json"):
        dr.CascadeModel().fit(pages).save(tmp_path / "no" / "model.json")
    with pytest.raises(TypeError, match="path must be a path, not int"):
        dr.load(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"n": 0}, ValueError, "n is 0, not between 1 and"),
        ({"n": 2.0}, TypeError, "n must be an integer"),
        ({"n": 1, "seed": -1}, ValueError, "seed is -1"),
        ({"n": 1, "ranking": "best"}, ValueError, "ranking is 'best'"),
    ],
)
def test_a_sample_of_nonsense_is_refused(
    arguments: dict[str, Any], error: type[Exception], words: str, pages: dr.Table
) -> None:
    with pytest.raises(error, match=words):
        dr.CascadeModel().fit(pages).sample(**arguments)
