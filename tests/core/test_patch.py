from __future__ import annotations

import pytest

from jumar.core.patch import (
    Hunk,
    Scope,
    count_lines,
    hunks,
    is_litter,
    is_seed_only,
    is_self_loading,
    matches,
    symlink_destination,
)


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("src/**", "src/a.py", True),
        ("src/**", "src/deep/er/a.py", True),
        ("src/**", "src", False),
        ("src/**", "srcs/a.py", False),
        ("*.py", "a.py", True),
        ("*.py", "src/a.py", False),
        ("**/*.py", "a.py", True),
        ("**/*.py", "x/y/a.py", True),
        ("**/*.py", "x/y/a.pyc", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/x/a.py", True),
        ("src/*/a.py", "src/x/y/a.py", False),
        ("src", "src/a.py", True),
        ("src/", "src/a.py", True),
        ("./src/a.py", "src/a.py", True),
        ("src/a.py", "src/a.pyx", False),
        ("src/a.py", "src/axpy", False),
        ("a?.py", "ab.py", True),
        ("a?.py", "a/.py", False),
        ("a[bc].py", "ac.py", True),
        ("a[!bc].py", "ac.py", False),
        ("a[!bc].py", "ad.py", True),
        ("a[!b]c", "a/c", False),
        ("a[", "a[", True),
        ("app/[id]/page.tsx", "app/[id]/page.tsx", True),
        ("app/[id]/page.tsx", "app/i/page.tsx", True),
        ("notes/café notes.txt", "notes/cafe\u0301 notes.txt", True),
        ("**", "any/thing", True),
        (".", "any/thing", True),
        ("a**b", "a/x/b", True),
        ("notes/*", "notes/tab\tnew\nline", True),
        ("notes/*", "notes/\udcff", True),
    ],
)
def test_patterns(pattern: str, path: str, *, expected: bool) -> None:
    assert matches(pattern, path) is expected


def test_protection_is_stronger_than_a_target_and_a_named_target_than_a_pin() -> None:
    scope = Scope(("src/**", "run.py"), ("src/judge/**",), ("run.py", "src/data.py", "eval.py"))
    assert scope.verdict("src/a.py") is None
    assert scope.verdict("src/judge/a.py") == "protected"
    assert scope.verdict("src/data.py") == "protected"
    assert scope.verdict("eval.py") == "protected"
    assert scope.verdict("run.py") is None
    assert scope.verdict("other.py") == "out_of_scope"


def test_names_that_load_themselves_and_litter() -> None:
    assert is_self_loading("src/conftest.py")
    assert is_self_loading("x.pth")
    assert not is_self_loading("src/my_conftest.py")
    assert is_litter("a/__pycache__/x.bin")
    assert is_litter("x.pyc")
    assert is_litter("a/.DS_Store")
    assert not is_litter("__pycache__")


def test_where_a_link_leads() -> None:
    assert symlink_destination("src/a", "b/../c") == "src/c"
    assert symlink_destination("src/a", "./../README") == "README"
    assert symlink_destination("src/a", "../..") is None
    assert symlink_destination("src/a", "/etc/passwd") is None


PATCH = b"""diff --git a/x b/x
--- a/x
+++ b/x
@@ -1 +1,2 @@ def f():
--- not a header
+++ neither
+@@ -1 +1 @@
@@ -9,2 +9,0 @@
-a
\\ No newline at end of file
-b
"""


def test_lines_that_look_like_headers_are_counted_as_lines() -> None:
    parts = list(hunks(PATCH))
    assert parts[0] == Hunk((b"-- not a header",), (b"++ neither", b"@@ -1 +1 @@"))
    assert parts[1] == Hunk((b"a", b"b"), ())
    assert count_lines(parts) == (2, 3)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"SEED = 1", b"SEED = 7", True),
        (b"rng = make(seed=12)", b"rng = make(seed=13)", True),
        (b"    random_state=0,", b"    random_state=41,", True),
        (b"SEED = 1", b"SEED  = 7", False),
        (b"SEED = 1", b"SEEDS = 7", False),
        (b"lr = 0.1", b"lr = 0.2", False),
        (b"x1 = seed", b"x2 = seed", False),
    ],
)
def test_c20e_a_seed_alone_is_told_from_a_change(old: bytes, new: bytes, *, expected: bool) -> None:
    assert is_seed_only([Hunk((old,), (new,))]) is expected


def test_no_change_and_uneven_changes_are_not_seed_only() -> None:
    assert not is_seed_only([])
    assert not is_seed_only([Hunk((b"seed = 1",), (b"seed = 1", b"seed = 2"))])
