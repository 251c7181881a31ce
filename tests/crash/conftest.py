"""The world and the driver are plain modules beside the tests: they also work without pytest, as `./dev kills`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder for worlds."""
    return tmp_path / "worlds"
