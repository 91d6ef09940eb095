"""What an application asks of dr.Client, against the real service."""

from __future__ import annotations

import copy
import doctest
import inspect
import pickle

import pytest

import dcmrank
from dcmrank import client as client_module
from dcmrank.client import Candidate, Click, Client, Close, Page, RankedItem, ServiceError

from serving import Server


def test_a_page_is_ranked_clicked_and_closed(shop: Client, query: str) -> None:
    page = shop.rank(query, ["a", "b", "c"], k=2)
    assert isinstance(page, Page) and isinstance(page[0], RankedItem)
    assert page.ids == ("a", "b")  # the caller's own order at first
    assert (page.query, page.model, page.round) == (query, "default", 1)
    assert [item.position for item in page] == [1, 2]
    assert shop.click(page, "b").status == "accepted"
    assert shop.close(page).status == "accepted"
    learned = shop.query(query)
    assert (learned.rounds, learned["b"].attracted, learned["a"].attracted) == (1, 1, 0)
    low, high = learned["b"].interval
    assert 0 <= low <= learned["b"].estimate <= high <= 1
    with pytest.raises(KeyError):
        learned["z"]


def test_priors_count_for_their_request(shop: Client, query: str) -> None:
    page = shop.rank(
        query, ["a", Candidate("b", observed=10000, attracted=9000), {"id": "c", "observed": 10000}]
    )
    estimates = {item.id: item.estimate for item in page}
    assert estimates["b"] > 0.8 and estimates["c"] < 0.1


def test_an_id_of_the_caller_makes_a_page_repeatable(shop: Client, query: str) -> None:
    first = shop.rank(query, ["a", "b"], id=query)
    assert shop.rank(query, ["a", "b"], id=query) == first
    assert first.impression == query
    with pytest.raises(ServiceError) as caught:
        shop.rank(query, ["b", "a"], id=query)
    assert (caught.value.status, caught.value.code, caught.value.field) == (409, "id_taken", "id")
    assert caught.value.request_id and caught.value.request_id in str(caught.value)


def test_events_that_are_sent_again_count_once(shop: Client, query: str) -> None:
    page = shop.rank(query, ["a", "b"])
    events = [Click(page.impression, "a"), Close(page.impression)]
    assert [result.status for result in shop.feedback(events)] == ["accepted", "accepted"]
    again = shop.feedback(events)
    assert [result.status for result in again] == ["duplicate", "duplicate"]
    assert all(result.counted for result in again)
    assert shop.query(query)["a"].attracted == 1


def test_events_may_be_mappings(shop: Client, query: str) -> None:
    page = shop.rank(query, ["a", "b"])
    events: list[dict[str, object]] = [
        {"impression": page.impression, "type": "click", "item": "a", "id": query},
        {"impression": page.impression, "type": "close", "seen": 1},
        {"impression": "nobody knows", "type": "close"},
    ]
    results = shop.feedback(events)
    assert [result.status for result in results] == ["accepted", "accepted", "unknown_impression"]
    assert "held" in (results[2].reason or "")
    assert not results[2].counted
    assert shop.feedback([]) == ()


def test_more_events_than_a_request_takes_go_in_several(shop: Client, query: str) -> None:
    items = [f"item-{n}" for n in range(1000)]
    pages = [shop.rank(query, items, k=1000) for _ in range(12)]
    events = [Click(page.impression, item) for page in pages for item in items]
    assert len(events) == 12000
    results = shop.feedback(events)
    assert len(results) == 12000 and {result.status for result in results} == {"accepted"}
    assert {result.status for result in shop.feedback(reversed(events))} == {"duplicate"}


def test_what_is_rejected_is_an_error_of_click_and_close(shop: Client, query: str) -> None:
    page = shop.rank(query, ["a", "b"])
    with pytest.raises(ValueError, match="'z' is not in the page"):
        shop.click(page, "z")
    with pytest.raises(ServiceError, match="not in the impression") as caught:
        shop.click(page.impression, "z")
    assert caught.value.code == "rejected"
    with pytest.raises(ServiceError, match="above the number of positions"):
        shop.close(page, seen=3)
    assert shop.feedback([Click(page.impression, "z")])[0].status == "rejected"


def test_the_service_refuses_in_its_own_words(shop: Client, query: str) -> None:
    with pytest.raises(ServiceError) as caught:
        shop.rank(query, ["a", "b"], k=3)
    error = caught.value
    assert (error.status, error.code, error.field) == (400, "bad_field", "k")
    assert str(error).startswith("400 bad_field: k is 3, above the number of items, 2 (request ")
    with pytest.raises(ServiceError, match="404 unknown_model"):
        shop.rank(query, ["a"], model="never made")
    with pytest.raises(ServiceError, match="too_many_items"):
        shop.rank(query, [str(n) for n in range(1001)])
    with pytest.raises(ServiceError, match="bytes"):
        shop.rank("q" * 1025, ["a"])
    with pytest.raises(ServiceError, match="mode must be"):
        shop.put_model("trial", mode="sideways")
    copied = pickle.loads(pickle.dumps(error))
    assert str(copied) == str(error) and copied.__dict__ == error.__dict__


def test_a_body_that_is_too_large_is_refused_not_lost(shop: Client) -> None:
    long = [("%04d" % n) + "x" * 1020 for n in range(1000)]
    with pytest.raises(ServiceError) as caught:
        shop.rank("q" * 1024, [*long, *("y" + name[1:] for name in long)])
    assert (caught.value.status, caught.value.code) == (413, "body_too_large")
    with pytest.raises(ServiceError, match="413 body_too_large"):
        shop.import_(b" " * (257 << 20))


def test_clients_and_pages_pickle_and_copy(server: Server, query: str) -> None:
    shop = Client(server.url, key="key", model="default", timeout=(1, 2), retries=3)
    page = shop.rank(query, ["a", "b"])
    for other in (pickle.loads(pickle.dumps(shop)), copy.deepcopy(shop), copy.copy(shop)):
        assert repr(other) == repr(shop)
        assert other.rank(query, ["a", "b"], id=page.impression) == page
    assert pickle.loads(pickle.dumps(page)) == page
    click = Click(page.impression, "a")
    assert pickle.loads(pickle.dumps(click)) == click and Click(page.impression, "a") != click


def test_the_examples_of_the_client_run(server: Server) -> None:
    with Client(server.url) as shop:
        given = {"dr": dcmrank, "url": server.url, "shop": shop}
        finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
        results = [
            runner.run(test)
            for part in Client.__mro__[:-1]
            for test in finder.find(part, part.__name__, extraglobs=given)
        ]
    assert sum(result.attempted for result in results) > 20
    assert all(result.failed == 0 for result in results)


def test_every_public_call_has_a_docstring() -> None:
    for name in client_module.__all__:
        thing = getattr(client_module, name)
        assert thing.__doc__, name
        for member, value in inspect.getmembers(thing, callable):
            if not member.startswith("_"):
                assert value.__doc__, f"{name}.{member}"
