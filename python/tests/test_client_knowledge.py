"""What the service has learned, its models and its operations, by dr.Client."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest

from dcmrank.client import Client, Close, ServiceError

from serving import Server


def test_pages_of_other_models_are_clicked_without_naming_these(shop: Client, query: str) -> None:
    made = shop.put_model("other", policy="dcm-kl-ucb", k=3, close_after="10m", mode="online")
    assert (made.name, made.policy, made.k, made.close_after) == ("other", "dcm-kl-ucb", 3, "10m")
    page = shop.rank(query, ["a", "b"], model="other")
    assert page.model == "other"
    assert [result.status for result in shop.clicks(page, ["a", "b"])] == ["accepted", "accepted"]
    assert shop.close(page, seen=2).counted
    assert shop.query(query, model="other").rounds == 1
    assert shop.query(query, model="other").termination
    assert made in shop.models()
    shop.erase_model("other")
    assert "other" not in [model.name for model in shop.models()]


def test_a_model_in_the_shadow_says_what_it_would_show(shop: Client, query: str) -> None:
    assert shop.rank(query, ["a", "b"]).would_show is None
    shop.put_model("shadow", mode="shadow")
    page = shop.rank(query, ["a", "b"], model="shadow")
    assert page.ids == ("a", "b") and sorted(page.would_show or ()) == ["a", "b"]
    shop.erase_model("shadow")


def test_a_model_of_the_client_is_meant_everywhere(server: Server, query: str) -> None:
    shop = Client(server.url, model="mine")
    shop.put_model("mine")
    page = shop.rank(query, ["a", "b"])
    assert page.model == "mine"
    assert shop.click(page.impression, "a").status == "accepted"  # by the id alone
    assert shop.close(page.impression).status == "accepted"
    assert shop.impression(page.impression).clicks == ("a",)
    assert [entry.query for entry in shop.queries()] == [query]
    with pytest.raises(ServiceError, match="unknown_query"):
        shop.query(query, model="default")


def test_an_impression_is_shown_as_it_was_recorded(shop: Client, query: str) -> None:
    page = shop.rank(query, ["a", "b", "c"], durable=True)
    assert shop.impression(page).state == "open"
    shop.clicks(page, ["c"])
    shop.close(page, seen=3)
    recorded = shop.impression(page)
    assert (recorded.state, recorded.items, recorded.clicks, recorded.seen) == ("closed", page.ids, ("c",), 3)
    assert {one.id: one.attracted for one in recorded.contributed} == {"a": 0, "b": 0, "c": 1}
    assert recorded.made.tzinfo is not None and recorded.made.year >= 2026


def test_queries_are_listed_to_the_last_one(server: Server) -> None:
    shop = Client(server.url, model="many")
    shop.put_model("many")
    names = sorted(f"query {n:04}" for n in range(1203))
    events = [Close(shop.rank(name, ["a", "b"]).impression) for name in names]
    assert all(result.counted for result in shop.feedback(events))
    assert [entry.query for entry in shop.queries()] == names


@pytest.mark.parametrize("name", ["a/b c?d=e&f#g%", "..", ".", "日本語 ☂", "+", "\n\t\u0000", "é" * 400])
def test_any_text_can_be_a_query_and_an_item(shop: Client, name: str) -> None:
    page = shop.rank(name, [name, "other"], id=name)
    assert shop.click(page, name).counted and shop.close(page).counted
    assert shop.query(name)[name].attracted == 1
    assert shop.impression(page).clicks == (name,)
    shop.erase_item(name, name)
    with pytest.raises(KeyError):
        shop.query(name)[name]
    shop.erase_impression(page)
    assert shop.close(shop.rank(name, ["a", "b"])).counted
    shop.erase_query(name)
    with pytest.raises(ServiceError, match="404"):
        shop.query(name)


def test_what_is_erased_is_gone_and_what_is_not_there_is_said(shop: Client, query: str) -> None:
    page = shop.rank(query, ["a", "b"], durable=True)
    shop.erase_impression(page)
    with pytest.raises(ServiceError, match="404 unknown_impression"):
        shop.impression(page)
    with pytest.raises(ServiceError, match="404 unknown_impression"):
        shop.erase_impression(page)
    with pytest.raises(ServiceError, match="404"):
        shop.erase_model("never made")


def test_an_export_is_imported_by_another_service(shop: Client, query: str, tmp_path: Path) -> None:
    page = shop.rank(query, ["a", "b"])
    shop.clicks(page, ["a"])
    shop.close(page)
    with shop.export() as lines:
        whole = list(lines)
    assert all(json.loads(line) for line in whole)
    size = shop.export().save(tmp_path / "state.ndjson")
    assert size == (tmp_path / "state.ndjson").stat().st_size == sum(map(len, whole))
    assert [file.name for file in tmp_path.iterdir()] == ["state.ndjson"]
    other = Server(tmp_path)
    try:
        with Client(other.url) as second:
            imported = second.import_(tmp_path / "state.ndjson")
            assert imported == len([line for line in whole if b'"rounds"' in line])
            assert second.query(query) == shop.query(query)
            second.import_(b"".join(whole))  # adds
            assert second.query(query).rounds == 2 * shop.query(query).rounds
            with open(tmp_path / "state.ndjson", "rb") as file:
                second.import_(file)
            packed = io.BytesIO(gzip.compress(b"".join(whole)))
            with gzip.open(packed) as unpacking:  # whose size is not known before
                second.import_(unpacking)
            assert second.query(query).rounds == 4 * shop.query(query).rounds
    finally:
        other.stop()
    other.verify()


def test_an_import_that_cannot_be_read_is_the_files_fault(shop: Client, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        shop.import_(tmp_path / "missing")
    with pytest.raises(gzip.BadGzipFile), gzip.open(io.BytesIO(b"not packed")) as file:
        shop.import_(file)
    with pytest.raises(TypeError, match="'rb'"):
        shop.import_(io.StringIO("{}"))
    with pytest.raises(TypeError, match="not int"):
        shop.import_(3)
    with pytest.raises(ServiceError, match="400"):
        shop.import_(b"not an export")
    with pytest.raises(FileNotFoundError):
        shop.export().save(tmp_path / "no folder" / "state")


def test_health_and_readiness_do_not_raise(shop: Client) -> None:
    assert shop.health() and shop.ready()
    away = Client("http://127.0.0.1:9", retries=5)
    assert not away.health() and not away.ready()
    assert "dcmrank_storage_ok 1" in shop.metrics()
