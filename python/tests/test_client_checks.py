"""What dr.Client refuses before anything is sent: never anything but a TypeError or ValueError."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dcmrank.client import Candidate, Click, Client, Close, NoAnswer

SHOP = Client("http://127.0.0.1:9", retries=0)  # nobody answers there

anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.complex_numbers()
    | st.sampled_from([np.int64(3), np.bool_(True), np.float32("nan"), np.array([1, 2]), np.array("a"), object()])
    | st.builds(Candidate, st.text(), st.floats(), st.floats())
    | st.builds(Click, st.text(), st.text()) | st.builds(Close, st.text(), st.integers()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
names = st.text(min_size=1).filter(lambda text: text.isprintable())


def refuses_or_sends(call: Any, *arguments: Any, **named: Any) -> None:
    """What is good gets as far as the network."""
    with pytest.raises((TypeError, ValueError, NoAnswer)) as caught:
        call(*arguments, **named)
    message = str(caught.value)
    assert message and "\n" not in message


@settings(max_examples=300, deadline=None)
@given(query=anything, items=anything, k=anything, durable=anything, name=anything)
def test_rank_takes_anything_without_a_crash(query: Any, items: Any, k: Any, durable: Any, name: Any) -> None:
    refuses_or_sends(SHOP.rank, query, items, k=k, durable=durable, id=name)
    refuses_or_sends(SHOP.rank, "q", items)
    refuses_or_sends(SHOP.rank, "q", ["a"], k=k)
    refuses_or_sends(SHOP.rank, "q", ["a"], model=name, user=query)


@settings(max_examples=300, deadline=None)
@given(one=anything, other=anything, seen=anything)
def test_feedback_takes_anything_without_a_crash(one: Any, other: Any, seen: Any) -> None:
    refuses_or_sends(SHOP.click, one, other)
    refuses_or_sends(SHOP.close, one, seen=seen)
    for events in (one, [one], [{"type": "click", "impression": one, "item": other, "id": seen}]):
        if isinstance(events, (list, dict)) and not events:
            continue
        refuses_or_sends(SHOP.feedback, events)


@settings(max_examples=200, deadline=None)
@given(one=anything, other=anything)
def test_all_other_calls_take_anything_without_a_crash(one: Any, other: Any) -> None:
    refuses_or_sends(SHOP.query, one)
    refuses_or_sends(SHOP.impression, one)
    refuses_or_sends(SHOP.erase_item, one, other)
    refuses_or_sends(SHOP.erase_model, one)
    refuses_or_sends(SHOP.put_model, one, k=other)
    refuses_or_sends(SHOP.put_model, "m", policy=other, mode=one)
    refuses_or_sends(lambda: list(SHOP.queries(model=one)))


@settings(max_examples=300, deadline=None)
@given(url=anything, key=anything, timeout=anything, retries=anything)
def test_a_client_is_made_or_refused(url: Any, key: Any, timeout: Any, retries: Any) -> None:
    for arguments in ({"key": key}, {"timeout": timeout}, {"timeout": (timeout, 1)}, {"retries": retries},
                      {"patience": timeout}, {"connections": retries}, {"tls": key}, {"model": url}):
        try:
            Client("http://127.0.0.1:9", **arguments)
        except (TypeError, ValueError) as error:
            assert "\n" not in str(error)
    try:
        Client(url)
    except (TypeError, ValueError):
        pass


@settings(max_examples=200, deadline=None)
@given(st.lists(names, min_size=1, max_size=5, unique=True), st.floats(0, 1e9), st.floats(0, 1))
def test_good_candidates_are_sent(items: list[str], observed: float, share: float) -> None:
    with pytest.raises(NoAnswer):
        SHOP.rank("q", items)
    with pytest.raises(NoAnswer):
        SHOP.rank("q", [Candidate(item, observed, observed * share) for item in items])


@pytest.mark.parametrize(
    ("items", "error", "words"),
    [
        ("abc", TypeError, "items must be a list, not str"),
        ({"id": "a"}, TypeError, "items must be a list, not dict"),
        (None, TypeError, "items must be a list, not None"),
        ([], ValueError, "items is empty"),
        (["a", 7], TypeError, r"items\[1\] must be a str or a Candidate, not int"),
        (["a", ""], ValueError, r"items\[1\] is empty"),
        (["a", "b", "a"], ValueError, r"items\[2\] is the same as items\[0\]: 'a'"),
        (["\ud800"], ValueError, "not valid text"),
        ([Candidate("a", 1, 2)], ValueError, r"items\[0\].attracted is 2, above observed, 1"),
        ([Candidate("a", -1)], ValueError, r"items\[0\].observed must not be negative"),
        ([Candidate("a", math.nan)], ValueError, "must be a finite number, not nan"),
        ([Candidate("a", "3")], TypeError, "observed must be a number, not str"),  # type: ignore[arg-type]
        ([{"id": "a", "seen": 3}], ValueError, r"items\[0\] has 'seen'; it may have id, observed, attracted"),
        ([{"observed": 3}], ValueError, "has no 'id'"),
    ],
)
def test_wrong_items_are_named(items: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        SHOP.rank("q", items)


@pytest.mark.parametrize(
    ("events", "error", "words"),
    [
        (Click("i", "a"), TypeError, "events must be a list, not Click"),
        ([7], TypeError, r"events\[0\] must be a Click or a Close, not int"),
        ([{"type": "view"}], ValueError, r"events\[0\].type must be 'click' or 'close', not 'view'"),
        ([{"type": "click", "impression": "i"}], TypeError, r"events\[0\].item must be a str, not None"),
        ([{"type": "close", "impression": "i", "item": "a"}], ValueError, "'item', which a close does not have"),
        ([Close("i", seen=-1)], ValueError, r"events\[0\].seen must be at least 0, not -1"),
        ([Close("i", seen=True)], TypeError, "must be an int, not bool"),
        ([Click("", "a")], ValueError, r"events\[0\].impression is empty"),
        ([Click("i", "a", id="")], ValueError, r"events\[0\].id is empty"),
    ],
)
def test_wrong_events_are_named(events: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        SHOP.feedback(events)


@pytest.mark.parametrize(
    "url",
    ["127.0.0.1:8080", "ftp://h", "http://", "http://h:port", "http://h:99999", "http://h/?q=1", "http://h/#a",
     "http://user:secret@h", "unix:", "http://h h", "http://h\r\nX: y", "http://[::1", "", "//h", "http://ü"],
)  # fmt: skip
def test_wrong_addresses_are_refused(url: str) -> None:
    with pytest.raises(ValueError) as caught:
        Client(url)
    assert "secret" not in str(caught.value) and "url" in str(caught.value)


def test_wrong_settings_are_named() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"timeout": 0}, "timeout must be above 0"),
        ({"timeout": (1, 2, 3)}, "pair"),
        ({"timeout": math.inf}, "finite"),
        ({"retries": -1}, "retries must be at least 0"),
        ({"patience": -1}, "patience must be above 0"),
        ({"connections": -1}, "connections must be at least 0"),
        ({"model": ""}, "model is empty"),
    ]
    for named, words in wrong:
        with pytest.raises(ValueError, match=words):
            Client("http://127.0.0.1:9", **named)
    with pytest.raises(TypeError, match="tls must be an ssl.SSLContext, not str"):
        Client("http://127.0.0.1:9", tls="ca.pem")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="key must be a str, not bytes"):
        Client("http://127.0.0.1:9", key=b"k")  # type: ignore[arg-type]


def test_texts_and_numbers_of_numpy_are_taken() -> None:
    k: Any = np.int32(2)
    observed: Any = np.float32(3)
    with pytest.raises(NoAnswer):
        SHOP.rank(np.str_("q"), np.array(["a", "b"]), k=k)
    with pytest.raises(NoAnswer):
        SHOP.rank("q", [Candidate("a", observed, 1)])
