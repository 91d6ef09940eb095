"""Counts of parts of a log: by any method the model of the whole."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest
from log_cases import MODELS, command, text_of, write_log

import dcmrank as dr


@pytest.mark.parametrize("name", MODELS)
def test_counts_of_parts_give_the_model_of_the_whole(name: str, pages: dr.Table, tmp_path: Path) -> None:
    whole = pages.to_arrow()
    parts = [whole.slice(0, 500), whole.slice(500, 1), whole.slice(501)]
    for models in ([name], "all"):
        counts = sum(dr.count(part, models=models) for part in reversed(parts))
        assert isinstance(counts, dr.Counts) and name in counts.models
        model = MODELS[name]() if name in ("cascade", "dctr") else MODELS[name](method="em")
        expected = text_of(type(model)(method=model.method).fit(whole), tmp_path / "whole")
        assert text_of(model.fit(counts), tmp_path / "parts") == expected


def test_counts_are_the_command_s_file(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log", "tsv")
    command("count", log, "--for", "dcm,ubm", "--out", tmp_path / "command.counts")
    counts = dr.count(log, models=["dcm", "ubm"])
    counts.save(tmp_path / "ours.counts")
    assert (tmp_path / "ours.counts").read_bytes() == (tmp_path / "command.counts").read_bytes()
    for twin in (dr.load(tmp_path / "command.counts"), pickle.loads(pickle.dumps(counts)), copy.deepcopy(counts)):
        assert twin == counts and twin.models == counts.models == ["dcm", "cascade", "dctr", "pbm", "ubm"]


def test_a_sum_holds_what_both_hold(pages: dr.Table) -> None:
    more, less = dr.count(pages, models="all"), dr.count(pages, models=["dcm"])
    assert (more + less) == (less + more) == (less + less)
    assert (more + dr.count(pages)).models == ["cascade", "dctr"]


def test_counts_that_lack_what_a_model_needs_are_refused(pages: dr.Table) -> None:
    counts = dr.count(pages, models=["dcm"])
    assert dr.DependentClickModel().fit(dr.count(pages)).converged_
    with pytest.raises(ValueError, match=r"X: the counts lack what UserBrowsingModel\(method='em'\) needs: "
                                         r"count with models=\['ubm'\]"):  # fmt: skip
        dr.UserBrowsingModel().fit(counts)
    with pytest.raises(ValueError, match="models has 'dmc'; there are dcm, "):
        dr.count(pages, models=["dmc"])
    with pytest.raises(TypeError, match="models is 'dcm': give a list of names, or 'all'"):
        dr.count(pages, models="dcm")
    with pytest.raises(ValueError, match="more than 3 distinct tails"):
        dr.count(pages, models=["dcm"], max_tails=3)
    with pytest.raises(ValueError, match="max_tails is 0"):
        dr.count(pages, models=["dcm"], max_tails=0)
