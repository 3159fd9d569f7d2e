"""How far two sides lie apart, what the exceptions allow, and what fails without one."""

from __future__ import annotations

from pathlib import Path

import pytest
from worlds import World, section

from tools.project import GuideError
from tools.site.twins import Twin
from tools.snippets import compare, store
from tools.snippets.changes import changes
from tools.snippets.compare import TOLERANCE, difference, same_output
from tools.snippets.store import Value


def value(*data: float | bool | str, shape: list[int] | None = None) -> Value:
    """A declared value; a list unless a shape is given."""
    return Value(dtype="any", shape=[len(data)] if shape is None else shape, data=list(data))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (value(1.0, 2.0), value(1.0, 2.0), 0.0),
        (value(0.5, 0.0), value(0.25, 0.0), 0.25),  # absolute up to magnitude 1 ...
        (value(0.0), value(1e-9), 1e-9),
        (value(100.0), value(101.0), 1 / 101),  # ... relative above
        (value(-200.0), value(200.0), 2.0),
        (value(1.0, 5.0, 2.0), value(1.1, 5.0, 2.0), 0.1 / 1.1),  # the largest counts
        (value(3), value(3.0), 0.0),
        (value(True), value(1), 0.0),
        (value(True), value(False), 1.0),
        (value(), value(), 0.0),
        (value("nan", 1.0), value("nan", 1.0), 0.0),
        (value("inf"), value("inf"), 0.0),
        (value("float32", "int64"), value("float32", "int64"), 0.0),
    ],
)
def test_the_difference_is_absolute_up_to_one_and_relative_above(left: Value, right: Value, expected: float) -> None:
    assert difference(left, right) == pytest.approx(expected, rel=1e-12, abs=0)
    assert difference(right, left) == difference(left, right)


def agrees(left: Value, right: Value) -> store.Agreement:
    """The agreement of two sides that declare one value."""
    pytorch, mindspore = (
        store.Side(
            digest="0" * 16,
            version="",
            numpy="",
            python="",
            executed="",
            seconds=0,
            sections={},
            values=values,
        )
        for values in ({"x": left}, {"x": right})
    )
    return compare.agreement("topic", pytorch, mindspore)["x"]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (value(1.0, 2.0, shape=[2]), value(1.0, 2.0, shape=[1, 2])),
        (value(1.0, 2.0), value(1.0, 2.0, 3.0)),
        (value(1.0, shape=[]), value(1.0)),
        (value("nan"), value(1.0)),
        (value("nan"), value("inf")),
        (value("inf"), value("-inf")),
        (value("float32"), value("float64")),
        (value("1.0"), value(1.0)),
        (value("True"), value(True)),
    ],
)
def test_what_cannot_be_compared_disagrees(world: World, left: Value, right: Value) -> None:
    """Another shape, another kind, not-a-number on one side: no tolerance makes these the same."""
    world.exceptions([{"kind": "tolerance", "value": "x", "tolerance": 1e9}])
    found = agrees(left, right)
    assert found.largest_difference is None
    assert not found.agrees


@pytest.mark.parametrize(("apart", "expected"), [(0.0, True), (0.9 * TOLERANCE, True), (1.1 * TOLERANCE, False)])
def test_values_agree_within_the_tolerance(world: World, apart: float, expected: bool) -> None:
    found = agrees(value(0.0), value(apart))
    assert (found.agrees, found.tolerance, found.largest_difference) == (expected, TOLERANCE, apart)


def pair(world: World, **values: tuple[object, object]) -> None:
    """Really execute a pair whose sides declare these values, PyTorch's first."""
    for index, framework in enumerate(("pytorch", "mindspore")):
        declared = {name: both[index] for name, both in values.items() if both[index] is not None}
        text = section("one", "print(1)") + section("two", "print(2)") + f"nan = float('nan')\nagree = {declared!r}\n"
        assert world.run(world.write(text, framework)) == []


MEND = "or add a row with the reason to snippets/exceptions/topic.yml"


@pytest.mark.parametrize(
    ("both", "how"),
    [
        ((1.0, 1.5), "differ by 0.333"),
        (([1.0], [1.0, 2.0]), "cannot be compared"),
        (("a", "b"), "cannot be compared"),
        ((1.0, None), "cannot be compared"),
        ((None, 1.0), "cannot be compared"),
        ((float("nan"), 1.0), "cannot be compared"),
    ],
    ids=["numbers", "shapes", "strings", "mindspore-lacks-it", "pytorch-lacks-it", "nan"],
)
def test_a_disagreement_needs_a_reason(world: World, both: tuple[object, object], how: str) -> None:
    """Without a row no page can show the pair; with a row that says it is meant to differ, pages can."""
    pair(world, one=both, two=(1.0, 1.0))
    with pytest.raises(GuideError) as caught:
        Twin("topic")
    assert str(caught.value) == f"topic: the two values of one {how}; fix it, {MEND}"

    world.exceptions([{"kind": "differs", "value": "two"}])
    with pytest.raises(GuideError):  # a reason for another value is none
        Twin("topic")
    world.exceptions([{"kind": "differs", "value": "one"}])
    assert set(Twin("topic").differs) == {"one"}


def test_a_wider_tolerance_needs_a_row_and_is_stored(world: World) -> None:
    pair(world, one=(1.0, 1.01))
    with pytest.raises(GuideError, match="the two values of one differ by"):
        Twin("topic")
    world.exceptions([{"kind": "tolerance", "value": "one", "tolerance": 0.1}])
    pair(world, one=(1.0, 1.01))
    assert world.pair().agreement["one"].tolerance == 0.1
    assert Twin("topic").pair.agreement["one"].agrees
    pair(world, one=(1.0, 1.3))
    with pytest.raises(GuideError, match="the two values of one differ by"):
        Twin("topic")


def test_a_missing_section_or_side_needs_a_reason(world: World) -> None:
    longer = section("one", "print(1)") + section("extra", "print(2)")
    assert world.run(world.write(longer)) == []
    with pytest.raises(GuideError) as caught:
        Twin("topic")
    assert str(caught.value) == f"snippets/mindspore/topic.py is missing; write it, {MEND}"

    assert world.run(world.write(section("one", "print(1)"), "mindspore")) == []
    with pytest.raises(GuideError) as caught:
        Twin("topic")
    assert str(caught.value) == f"snippets/mindspore/topic.py lacks section extra; write it, {MEND}"
    world.exceptions([{"kind": "one_side", "framework": "pytorch", "section": "extra"}])
    assert Twin("topic").sections == ["one", "extra"]

    (world.snippets / "mindspore" / "topic.py").unlink()
    world.exceptions([{"kind": "one_side", "framework": "pytorch"}])
    assert list(Twin("topic").snippets) == ["pytorch"]


def test_output_is_compared_without_the_lines_declared_volatile(world: World) -> None:
    row = {"kind": "volatile", "section": "one", "lines": "^took "}
    world.exceptions([row | {"framework": "mindspore"}])
    stored, again = "loss 1\ntook 3 s\n", "loss 1\ntook 4 s\n"
    assert same_output("topic", "mindspore", "one", stored, again)
    assert not same_output("topic", "mindspore", "one", stored, "loss 2\ntook 3 s\n")
    assert not same_output("topic", "mindspore", "one", stored, "loss 1\nloss 1\n")
    assert not same_output("topic", "mindspore", "two", stored, again)
    assert not same_output("topic", "pytorch", "one", stored, again)
    assert not same_output("other", "mindspore", "one", stored, again)
    world.exceptions([row])
    assert same_output("topic", "pytorch", "one", stored, again)


def test_changes_between_two_sets_of_results_are_named(world: World, tmp_path: Path) -> None:
    """What the weekly run against the newest releases reports, and that it does not report noise."""
    world.exceptions([{"kind": "volatile", "section": "two", "lines": "^2"}])
    pair(world, one=(1.0, 1.0), shape=([1.0], [1.0]))
    old, new = world.pair(), world.pair()
    store.save(old, tmp_path / "old")
    side = new.sides["mindspore"]
    side.version = "9.9.9"
    side.sections["one"].stdout = "other\n"
    side.sections["two"].stdout = "2, volatile\n"
    side.values["one"].data = [1.5]
    side.values["shape"] = value(1.0, 2.0)
    store.save(new, tmp_path / "new")
    assert changes(tmp_path / "old", tmp_path / "old") == []
    where = f"- `topic`, MindSpore ({old.sides['mindspore'].version} → 9.9.9)"
    assert changes(tmp_path / "old", tmp_path / "new") == [
        f"{where}: section `one` prints something else",
        f"{where}: value `one` moved by 0.333",
        f"{where}: value `shape` has another shape or kind",
    ]
    (tmp_path / "new" / "topic.json").unlink()
    assert [line.rpartition(": ")[2] for line in changes(tmp_path / "old", tmp_path / "new")] == [
        "no result any more",
        "no result any more",
    ]
