"""Every snippet file of the repository: what pages show of it is what it does, today, on this machine."""

from __future__ import annotations

import re

import pytest

from tools import check
from tools.project import FRAMEWORKS, relative
from tools.site.twins import Twin
from tools.snippets import freshness, pool, run, source, store
from tools.snippets.compare import TOLERANCE, difference, same_output
from tools.snippets.source import Snippet
from tools.snippets.store import Side

FILES = [s for topic in source.topics() for f in FRAMEWORKS if (s := source.snippet(f, topic))]

each_file = pytest.mark.parametrize("snippet", FILES, ids=[relative(s.path) for s in FILES])
each_topic = pytest.mark.parametrize("topic", source.topics())

Again = dict[tuple[str, str], pool.Outcome]


@pytest.fixture(scope="session")
def again() -> Again:
    """All files executed once more, at the same time on all cores."""
    return {(o.snippet.framework, o.snippet.topic): o for o in pool.execute_all(FILES, store.timeouts())}


def stored_side(snippet: Snippet) -> Side:
    """The stored execution of a file."""
    pair = store.load(snippet.topic)
    assert pair is not None, f"run: python -m tools run {snippet.topic}"
    return pair.sides[snippet.framework]  # type: ignore[index]


def executed_side(snippet: Snippet, again: Again) -> Side:
    """Its execution during these tests, as it would be stored."""
    outcome = again[snippet.framework, snippet.topic]
    assert outcome.failure is None
    return run.side(outcome)


def test_there_are_files() -> None:
    """An empty list of parameters would pass in silence."""
    assert {snippet.framework for snippet in FILES} == set(FRAMEWORKS)
    assert {"tensors", "training", "bench/mnist_cnn"} <= set(source.topics())


@each_file
def test_its_result_is_not_stale(snippet: Snippet) -> None:
    assert freshness.staleness(snippet, stored_side(snippet)) is None


@each_file
def test_executed_again_it_prints_what_is_stored(snippet: Snippet, again: Again) -> None:
    stored, executed = stored_side(snippet).sections, executed_side(snippet, again).sections
    assert list(executed) == list(stored) == list(snippet.sections)
    for name in stored:
        where = (snippet.topic, snippet.framework, name)
        left, right = stored[name].stdout, executed[name].stdout
        assert same_output(*where, left, right), f"section {name} printed {right!r}, stored is {left!r}"


@each_file
def test_executed_again_it_reaches_the_stored_values(snippet: Snippet, again: Again) -> None:
    stored, executed = stored_side(snippet).values, executed_side(snippet, again).values
    wider = {row.value: row.tolerance or 0 for row in store.exceptions(snippet.topic, "tolerance")}
    assert list(executed) == list(stored)
    for name in stored:
        apart = difference(stored[name], executed[name])
        assert apart is not None and apart <= wider.get(name, TOLERANCE), f"{name} moved by {apart}"
        assert executed[name].dtype == stored[name].dtype


@each_topic
def test_what_is_stored_names_no_machine(topic: str) -> None:
    """Neither where this repository lies nor where a package was installed."""
    text = store.path_of(topic).read_text(encoding="utf-8")
    assert re.findall(r"[^\s\"']*/(?:site-packages|root|home|Users|tmp|tools)/[^\s\"']*", text) == []


@each_topic
def test_both_sides_have_the_same_sections(topic: str) -> None:
    """In the same order, too. What stands on one side only has a row that says why."""
    excepted = {row.section for row in store.exceptions(topic, "one_side")}
    if None in excepted:
        return  # the whole topic stands on one side
    orders = []
    for framework in FRAMEWORKS:
        snippet = source.snippet(framework, topic)
        assert snippet is not None
        orders.append([name for name in snippet.sections if name not in excepted])
    assert orders[0] == orders[1]


@each_topic
def test_the_sides_agree_or_say_why_not(topic: str) -> None:
    """A Twin is what pages show a pair from; it does not exist while anything about the pair is wrong."""
    twin = Twin(topic)
    assert all(agreement.agrees or name in twin.differs for name, agreement in twin.pair.agreement.items())
    for snippet in twin.snippets.values():
        assert list(snippet.shown) == list(snippet.sections)


def test_every_exception_excepts_something() -> None:
    assert list(check._exceptions()) == []
