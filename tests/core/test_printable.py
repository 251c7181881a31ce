from __future__ import annotations

import pytest

from jumar.core.text import all_printable, printable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("caf\u00e9 \U0001f600", "caf\u00e9 \U0001f600"),
        ("not-utf8-\udcff", r"not-utf8-\xff"),
        ("half \ud83d", r"half \ud83d"),
        ("both \udcff \ud83d", r"both \udcff \ud83d"),
    ],
)
def test_text_that_cannot_be_written_is_escaped(text: str, expected: str) -> None:
    assert printable(text) == expected
    assert printable(text).encode()


def test_every_text_within_a_value() -> None:
    value = {"a\udcff": ["\udcfe", ("x", 1, None, 0.5)], "b": {"c": True}}
    assert all_printable(value) == {r"a\xff": [r"\xfe", ["x", 1, None, 0.5]], "b": {"c": True}}
