"""Logs in files: every format and compression, bad lines, bounded memory."""

from __future__ import annotations

import copy
import gzip
import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from log_cases import command, write_log

import dcmrank as dr

LINES = "shoes\ta,b,c\tb\nshoes\tb,a,c\t\nhats\tx,y\tx,y\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    (tmp_path / "log.tsv").write_text(LINES)
    return tmp_path / "log.tsv"


@pytest.mark.parametrize("format", ["tsv", "yandex2011", "yandex2014"])
@pytest.mark.parametrize("compression", ["none", "gzip", "zstd"])
def test_every_format_and_compression_is_read(
    format: str, compression: str, tmp_path: Path
) -> None:
    path = write_log(tmp_path / "log", format, pages=300)
    plain = dr.read_log(path, format=format).read()
    if compression == "gzip":
        path.write_bytes(gzip.compress(path.read_bytes()))
    if compression == "zstd":
        subprocess.run(["zstd", "-q", "--rm", path, "-o", tmp_path / "log.zst"], check=True)
        path = tmp_path / "log.zst"
    read = dr.read_log(path, format=format).read()
    assert len(read) == 300 and read == plain
    assert ("session" in read) == (format != "tsv")


def test_pages_are_as_they_stand(log: Path) -> None:
    table = dr.read_log(log, format="tsv").read()
    assert table["query"].tolist() == ["shoes", "shoes", "hats"]
    assert [items.tolist() for items in table["items"]] == [["a", "b", "c"], ["b", "a", "c"], ["x", "y"]]
    assert [clicks.tolist() for clicks in table["clicks"]] == [
        [False, True, False], [False] * 3, [True, True]]  # fmt: skip


def test_several_files_are_one_log(log: Path) -> None:
    assert len(dr.read_log([log, str(log), bytes(log)], format="tsv").read()) == 9


def test_a_log_can_be_a_frame_of_any_library(log: Path) -> None:
    handle = dr.read_log(log, format="tsv")
    assert len(handle.to_pandas()) == len(handle.to_polars()) == len(handle.to_arrow()) == 3


def write_slowly(path: Path, text: str) -> None:
    with open(path, "w") as pipe:
        for line in text.splitlines(keepends=True):
            pipe.write(line)
            pipe.flush()
            time.sleep(0.05)


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    said = threading.Thread(target=write_slowly, args=(tmp_path / "pipe", LINES))
    said.start()
    assert len(dr.read_log(tmp_path / "pipe", format="tsv").read()) == 3
    said.join()


def test_a_handle_pickles_and_copies(log: Path) -> None:
    handle = dr.read_log(log, format="tsv", strict=True)
    for twin in (pickle.loads(pickle.dumps(handle)), copy.deepcopy(handle)):
        assert repr(twin) == repr(handle) and twin.strict and twin.read() == handle.read()


def test_a_bad_line_is_skipped_with_a_warning(log: Path) -> None:
    log.write_text(LINES + "nothing\n")
    with pytest.warns(dr.LogWarning, match=r"skipped 1, the first .*log.tsv:4: ") as seen:
        model = dr.CascadeModel().fit(dr.read_log(log, format="tsv"))
    assert seen[0].filename == __file__ and model.report_["impressions"] == 3
    with pytest.raises(ValueError, match="log.tsv:4: ") as raised:
        dr.CascadeModel().fit(dr.read_log(log, format="tsv", strict=True))
    assert "\n" not in str(raised.value)


def test_what_is_usual_in_logs_is_reported_without_a_warning(log: Path) -> None:
    log.write_text(LINES + "shoes\ta,b\ta,a\n")
    report = dr.count(log, format="tsv").report
    assert report["skipped"] == {"repeated_click": 1}


def test_a_click_on_what_was_not_shown_is_lost_with_a_warning(log: Path) -> None:
    log.write_text(LINES + "shoes\ta,b\tz\n")
    with pytest.warns(dr.LogWarning, match=r"skipped 1, the first .*log.tsv:4: a click on an item that was not shown"):
        report = dr.count(log, format="tsv").report
    assert report["skipped"] == {"click_not_shown": 1}


def test_a_log_that_is_none_is_refused(log: Path, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere.tsv"):
        dr.read_log(tmp_path / "nowhere.tsv", format="tsv")
    with pytest.raises(ValueError, match="format.*tsv"):
        dr.read_log(log, format="tvs")
    with pytest.raises(TypeError, match="format is 3, not one of"):
        dr.read_log(log, format=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="directory"):
        dr.read_log(tmp_path, format="tsv")
    with pytest.raises(ValueError, match="no file is named"):
        dr.read_log([], format="tsv")
    with pytest.raises(TypeError, match="path must be a path, not int"):
        dr.read_log([3], format="tsv")  # type: ignore[list-item]
    with pytest.raises(ValueError, match="columns: a role is 'querry'"):
        dr.read_log(log, columns={"querry": "q"})
    with pytest.raises(TypeError, match="names are texts"):
        dr.read_log(log, columns={"query": 1})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="columns is given, but data is not a file"):
        dr.count(dr.example_log(10), columns={"query": "q"})
    with pytest.raises(TypeError, match="format is given, but data is not a file"):
        dr.count(dr.example_log(10), format="tsv")
    log.write_text("")
    for call in (dr.CascadeModel().fit, dr.count, dr.Log.read):
        with pytest.raises(ValueError, match="the log has no usable impression"):
            call(dr.read_log(log, format="tsv"))  # type: ignore[operator]


def test_a_table_is_read_by_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("\ufeffq,docs,clicked\r\nshoes,a b c,b\r\n", encoding="utf-8")
    log = dr.read_log(path, columns={"query": "q", "items": "docs", "clicks": "clicked"})
    assert log.found == [
        f"{path}: csv (comma, one row per page: query=q, items=docs, clicks=clicked as items)"
    ]
    table = log.read()
    assert str(table["query"][0]) == "shoes"
    assert list(table["clicks"][0]) == [0, 1, 0]
    assert dr.count(path).report["clicks"] == 1
    path.write_text('{"query": "q", "items": ["a", "b"], "clicks": [1, 0]}\n')
    assert dr.count(path).report["clicks"] == 1
    path.write_text("hello\n")
    with pytest.raises(ValueError, match="its format cannot be told"):
        dr.read_log(path)


def test_a_log_that_changed_its_mind_is_noticed(log: Path) -> None:
    handle = dr.read_log(log, format="tsv")
    log.unlink()
    with pytest.raises(FileNotFoundError, match="log.tsv"):
        handle.read()


def test_ids_that_a_counts_file_cannot_hold_are_refused(tmp_path: Path) -> None:
    import pyarrow as pa

    frame = pa.table({"query": ["a\tb"], "items": [["x", "y"]], "clicks": [[0, 1]]})
    counts = dr.count(frame)
    assert dr.CascadeModel().fit(counts).queries_["query"][0] == "a\tb"
    with pytest.raises(ValueError, match="cannot hold the id"):
        counts.save(tmp_path / "counts")


def test_fitting_keeps_no_pages(tmp_path: Path) -> None:
    path = tmp_path / "large.tsv"
    command("generate", "--problem", "lb:L=12,K=5,p=0.4,gap=0.2,gamma=0.5", "--impressions", 2_000_000,
            "--format", "tsv", "--out", path)  # fmt: skip
    size = path.stat().st_size
    assert size > 30_000_000
    program = """
import resource, sys
import dcmrank as dr
log = dr.read_log(sys.argv[1], format="tsv")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
dr.DependentClickModel(method="em").fit(log)
model = dr.CascadeModel().fit(log)
model.score(log)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    assert int(done.stdout) < size / 2


def test_a_line_that_is_no_utf8_is_skipped_with_a_warning(tmp_path: Path) -> None:
    log = tmp_path / "u.tsv"
    log.write_bytes(b"q\ta,b\tb\n\xff\xfe\ta,b\tb\n")
    with pytest.warns(dr.LogWarning, match=r"\\xff\\xfe"):
        model = dr.CascadeModel().fit(dr.read_log(log, format="tsv"))
    assert model.report_["impressions"] == 1
