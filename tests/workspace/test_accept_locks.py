from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jumar.errors import RefusedError
from jumar.workspace import accept, find_repository
from jumar.workspace.locks import Locks


def test_s34_a_lock_of_the_users_is_waited_for(repo: Any) -> None:
    lock = repo.write(".git/index.lock", "")

    def sleep(seconds: float) -> None:
        lock.unlink()

    accept._wait_for_index(find_repository(repo.root), Locks(sleep=sleep))
    assert not Path(lock).exists()


def test_s34_a_lock_of_the_users_that_stays_is_named_and_left(repo: Any) -> None:
    lock = repo.write(".git/index.lock", "")
    with pytest.raises(RefusedError, match=r"index\.lock") as refused:
        accept._wait_for_index(find_repository(repo.root), Locks(sleep=lambda seconds: None))
    assert "leftover" in refused.value.hint
    assert lock.exists()
