"""One way in: arguments are checked, nothing widens the binding, async callers get the same."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lukasa import operations
from lukasa.errors import LukasaError, NotFoundError, UsageError
from lukasa.operations import Binding, perform, perform_async
from lukasa.operations.checking import check_arguments, check_value

if TYPE_CHECKING:
    import lukasa
    from lukasa.db.database import Json


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("remembr", {}, "There is no operation 'remembr'. The nearest names: 'remember'"),
        ("remember", {}, "remember needs 'content', which is missing. Give content: The text"),
        (
            "remember",
            {"content": "x", "tag": ["a"]},
            "remember takes no argument 'tag'. Did you mean 'tags'?",
        ),
        (
            "remember",
            {"content": "x", "agent": "ben"},
            "remember takes no argument 'agent'. It takes content,",
        ),
        ("remember", {"content": 3}, "remember: content should be a text, found 3."),
        ("remember", {"content": "x", "tags": "a"}, 'remember: tags should be a list, found "a".'),
        ("remember", {"content": "x", "tags": ["a", 1]}, "remember: tags, item 2 should be a text, found 1."),
        (
            "remember",
            {"content": "x", "kind": "fakt"},
            "remember: kind cannot be \"fakt\". Did you mean 'fact'?",
        ),
        ("remember", {"content": "x", "pinned": 1}, "remember: pinned should be true or false, found 1."),
        ("get", {"ref": True}, "get: ref should be a whole number or a text, found true."),
        ("recall", {"query": "x", "limit": "5"}, 'recall: limit should be a whole number, found "5".'),
        ("recall", {"query": "x", "weights": {"semantic": 1}}, "recall: weights needs 'keyword'"),
        ("recall", {"query": "x", "weights": {"words": 1}}, "recall: weights takes no 'words'."),
    ],
)
def test_a_wrong_call_is_told_what_to_do(
    ana: Binding, name: str, arguments: dict[str, Json], message: str
) -> None:
    with pytest.raises(LukasaError) as refused:
        perform(ana, name, arguments)
    assert str(refused.value).startswith(message)
    assert refused.value.fix
    assert ana.store.stats().entries == 0


def test_null_for_what_may_be_left_out_is_leaving_it_out(ana: Binding) -> None:
    made = perform(ana, "remember", {"content": "Tea is green.", "kind": None, "tags": None, "scope": None})
    assert cast("dict[str, Json]", made.json)["kind"] == "fact"


def test_null_empties_where_the_schema_says_so(ana: Binding) -> None:
    perform(ana, "add", {"name": "tea", "content": "Tea is green.", "summary": "tea"})
    made = perform(ana, "update", {"ref": "tea", "summary": None})
    assert cast("dict[str, Json]", made.json)["summary"] is None


def test_an_agent_cannot_do_what_is_the_operators(ana: Binding, operator: Binding) -> None:
    for found in operations.all().values():
        if not found.for_agents:
            with pytest.raises(NotFoundError, match=f"no operation '{found.name}'"):
                perform(ana, found.name, {})
    assert perform(operator, "agents", {}).json == {"agents": []}


@pytest.mark.parametrize("scope", ["agent/ben", "project/zeus", "channel/agent:ben:session:s1", "global/x"])
def test_no_scope_widens_the_binding(ana: Binding, store: lukasa.Store, scope: str) -> None:
    store.agent("ben").remember("Ben keeps a secret garden.")
    for name, arguments in {
        "remember": {"content": "x"},
        "list": {},
        "recall": {"query": "garden"},
        "get": {"ref": 1},
    }.items():
        with pytest.raises(
            UsageError, match="Leave scope out, or use one of: agent/ana, project/apollo"
        ) as error:
            perform(ana, name, {**arguments, "scope": scope})
        assert "garden" not in str(error.value)
    assert store.stats().entries == 1


def test_what_is_bound_may_be_named(ana: Binding) -> None:
    for scope in ("agent/ana", "project/apollo", "channel/agent:ana:session:s1"):
        made = perform(ana, "remember", {"content": "The API is frozen.", "scope": scope})
        assert cast("dict[str, Json]", made.json)["space"] == scope
    with pytest.raises(UsageError, match="global/shared"):
        perform(ana, "remember", {"content": "x", "scope": "global/shared"})


def test_a_bound_session_is_where_new_memories_come_from(store: lukasa.Store) -> None:
    bound = Binding(store=store, agent="ana", session="s1")
    first = perform(bound, "remember", {"content": "Tea is green."}).json
    other = perform(bound, "remember", {"content": "Milk is white.", "session_id": "s2"}).json
    assert cast("dict[str, Json]", first)["session_id"] == "s1"
    assert cast("dict[str, Json]", other)["session_id"] == "s2"
    update = perform(bound, "update", {"ref": 2, "summary": "milk"}).json
    assert cast("dict[str, Json]", update)["session_id"] == "s2"


def test_a_wrong_agent_is_refused_when_it_is_bound(store: lukasa.Store) -> None:
    with pytest.raises(UsageError, match="agent id"):
        Binding(store=store, agent="a b")
    with pytest.raises(UsageError, match="another agent"):
        Binding(store=store, agent="ana", shares=("agent/ben",))


def test_an_async_caller_gets_the_same(ana: Binding) -> None:
    async def work() -> list[int]:
        texts = (f"Fact number {number}." for number in range(8))
        made = await asyncio.gather(*(perform_async(ana, "remember", {"content": text}) for text in texts))
        return sorted(cast("int", cast("dict[str, Json]", result.json)["number"]) for result in made)

    assert asyncio.run(work()) == list(range(1, 9))


scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    name=st.sampled_from(sorted(operations.all())),
    arguments=st.dictionaries(st.sampled_from(["content", "ref", "tags", "limit", "weights", "x"]), values),
)
def test_whatever_is_given_is_fit_or_refused_with_a_remedy(name: str, arguments: dict[str, Json]) -> None:
    parameters = operations.get(name).parameters
    kept: dict[str, Json] = {}
    with suppress(UsageError):
        kept = check_arguments(name, parameters, arguments)
        assert {parameter.name for parameter in parameters if parameter.required} <= kept.keys()
    assert kept.items() <= arguments.items()
    for parameter in parameters:
        if parameter.name in kept:
            check_value("again", parameter.schema, kept[parameter.name])
