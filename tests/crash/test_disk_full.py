"""No room: a sentence, nothing damaged, and the same command goes on once there is some."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

DISK = Path(__file__).with_name("disk.py")
MOUNT = 'mount -t tmpfs -o size=4m none "$1" && shift && exec "$@"'
WAYS = (("unshare", "--user", "--map-root-user", "--mount"), ("unshare", "--mount"))


def run_disk(*command: str | Path) -> dict[str, object]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=110)
    assert done.returncode == 0, done.stderr
    result: dict[str, object] = json.loads(done.stdout)
    return result


def way_to_mount(folder: Path) -> tuple[str, ...] | None:
    """How a small file system can be mounted here, seen by its own processes alone."""
    for way in WAYS:
        done = subprocess.run(
            [*way, "sh", "-c", MOUNT, "sh", folder, "true"], capture_output=True, check=False
        )
        if done.returncode == 0:
            return way
    return None


def test_c24_a_file_that_may_not_grow(place: Path) -> None:
    result = run_disk(sys.executable, DISK, "limit", place)
    assert result["wrong"] == []
    assert int(str(result["refused"])) >= 10


def test_c24_a_full_disk(place: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    way = way_to_mount(small)
    if way is None:
        # A person's machine may forbid it; continuous integration runs as root, and must not lose this test unseen.
        assert os.geteuid() != 0, "no small file system can be mounted here, though this is root"
        return
    result = run_disk(*way, "sh", "-c", MOUNT, "sh", small, sys.executable, DISK, "tmpfs", place, small)
    assert result["wrong"] == []
    assert int(str(result["refused"])) >= 5
