from __future__ import annotations

import json
import venv
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from jumar.core.model import Job

if TYPE_CHECKING:
    from tests.evaluators.conftest import Place

JOB = Job(trial=3, lane=0, role="score", side="candidate", commit="c0ffee", sample=0, seed=42)


PROBE = msgspec.structs.replace(JOB, trial=0, role="probe")


@pytest.fixture
def project(place: Place) -> Place:
    """A package in the checkout; the tree has everything but the target."""
    source = place.checkout / "src" / "pack"
    source.mkdir(parents=True)
    (source / "__init__.py").write_text("VALUE = 5\n")
    (place.tree / "src").mkdir()
    (place.tree / "bench.py").write_text("import pack\nprint(pack.VALUE)\n")
    return place


def site_packages(root: Path) -> Path:
    venv.create(root, with_pip=False, symlinks=True)
    return next(root.glob("lib/python*/site-packages"))


def test_s37_an_editable_install_in_a_carried_environment(project: Place) -> None:
    site = site_packages(project.tree / ".venv")
    (site / "__editable__.pack-0.1.pth").write_text(f"{project.checkout / 'src'}\n")
    found = project.measure(".venv/bin/python bench.py", PROBE, carry={".venv": "copy"})
    assert found.score == 5
    assert "__editable__.pack-0.1.pth` is an editable install of pack" in found.notes
    assert f"`{project.checkout / 'src'}`" in found.notes
    assert "`PYTHONPATH=src`" in found.notes


def test_s37_the_named_cure_cures(project: Place) -> None:
    site = site_packages(project.tree / ".venv")
    (site / "__editable__.pack-0.1.pth").write_text(f"{project.checkout / 'src'}\n")
    (project.tree / "src" / "pack").mkdir()
    (project.tree / "src" / "pack" / "__init__.py").write_text("VALUE = 6\n")
    assert project.measure(".venv/bin/python bench.py").score == 5
    assert project.measure("PYTHONPATH=src .venv/bin/python bench.py").score == 6


def test_s37_a_linked_environment(project: Place) -> None:
    site = site_packages(project.checkout / ".venv")
    (site / "easy-install.pth").write_text(f"{project.checkout / 'src'}\n")
    (project.tree / ".venv").symlink_to(project.checkout / ".venv")
    found = project.measure(".venv/bin/python bench.py", PROBE, carry={".venv": "link"})
    assert found.score == 5
    assert "easy-install.pth" in found.notes


def test_s37_an_active_environment_of_the_user(project: Place, tmp_path: Path) -> None:
    site = site_packages(tmp_path / "active")
    (site / "pack.egg-link").write_text(f"{project.checkout / 'src'}\n.\n")
    project.environment["VIRTUAL_ENV"] = str(tmp_path / "active")
    assert "pack.egg-link` is an editable install of pack" in project.measure("echo 5", PROBE).notes


def test_s37_the_environment_behind_a_program_on_the_path(project: Place, tmp_path: Path) -> None:
    site = site_packages(tmp_path / "other")
    (site / "__editable___pack_0_1_finder.py").write_text(
        f"MAPPING = {{'pack': '{project.checkout / 'src' / 'pack'}'}}\n"
    )
    project.environment["PATH"] = f"{tmp_path / 'other' / 'bin'}:{project.environment['PATH']}"
    project.environment.pop("VIRTUAL_ENV", None)
    notes = project.measure("python -c 'print(5)'", PROBE).notes
    assert "editable install of pack" in notes
    assert "`PYTHONPATH=src`" in notes


def test_s37_what_an_installer_noted(project: Place) -> None:
    info = site_packages(project.tree / ".venv") / "pack-0.1.dist-info"
    info.mkdir()
    note = {"url": f"file://{project.checkout}", "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(note))
    assert "direct_url.json` is an editable install of pack" in project.measure("echo 5", PROBE).notes
    (info / "direct_url.json").write_text(json.dumps({**note, "dir_info": {}}))
    assert "editable" not in project.measure("echo 5", PROBE).notes


@pytest.mark.parametrize("name", ["_pack.pth", "__editable__.pack-0.1.pth", "distutils-precedence.pth"])
def test_s37_only_lines_that_are_paths_of_the_checkout_count(project: Place, name: str) -> None:
    site = site_packages(project.tree / ".venv")
    (site / name).write_text(f"import os; x = '{project.checkout}'\n# {project.checkout}\n/usr/lib\n")
    assert "editable install" not in project.measure("echo 5", PROBE).notes
    with (site / name).open("a") as file:
        file.write(f"{project.checkout}\n")
    notes = project.measure("echo 5", PROBE).notes
    assert f"{name}` is an editable install" in notes
    assert "`PYTHONPATH=.`" in notes


def test_s37_an_absolute_path_in_the_command(project: Place) -> None:
    (project.checkout / "bench.py").write_text("print(7)\n")
    found = project.measure(f"python3 {project.checkout}/bench.py", PROBE)
    assert found.score == 7
    assert f"The command names `{project.checkout}/bench.py`" in found.notes
    assert "write `bench.py` instead" in found.notes


def test_s37_a_path_through_home(project: Place) -> None:
    project.environment["HOME"] = str(project.checkout)
    (project.checkout / "n").write_text("7\n")
    for line in ("cat ~/n", 'cat "$HOME/n"', "cat ${HOME}/n"):
        found = project.measure(line, PROBE)
        assert found.score == 7
        assert f"`{project.checkout}/n`" in found.notes


def test_s37_an_absolute_path_in_a_file_that_the_command_names(project: Place) -> None:
    (project.tree / "bench.py").write_text(
        f"import sys\nsys.path.insert(0, '{project.checkout}/src')\nimport pack\nprint(pack.VALUE)\n"
    )
    found = project.measure("python3 bench.py", PROBE)
    assert found.score == 5
    assert f"Line 2 of `bench.py` names `{project.checkout}/src`" in found.notes
    assert "write `src` instead" in found.notes


def test_s37_python_path(project: Place) -> None:
    project.environment["PYTHONPATH"] = str(project.checkout / "src")
    found = project.measure("python3 bench.py", PROBE)
    assert found.score == 5
    assert "PYTHONPATH" in found.notes


def test_s37_nothing_found_says_what_to_look_for(project: Place) -> None:
    project.environment.pop("VIRTUAL_ENV", None)
    other = f"{project.checkout}-other/x"
    notes = project.measure(f"echo 5 # {other}", PROBE).notes
    assert "Nothing was found" in notes
    assert "a.txt" in notes
    assert "--no-probe" in notes


def test_an_ordinary_job_is_not_searched(project: Place) -> None:
    assert project.measure(f"echo 5 # {project.checkout}").notes == ""
