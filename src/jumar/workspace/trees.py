"""Making and removing the trees of a run. Each step can be cut, and is then done again by the next call."""

from __future__ import annotations

import os
from pathlib import Path

from jumar.errors import GitError, JumarError, RefusedError
from jumar.workspace.base import find_identity, make_base
from jumar.workspace.files import copy_into, remove_folder
from jumar.workspace.git import Git
from jumar.workspace.locks import Locks
from jumar.workspace.place import find_place, make_private
from jumar.workspace.repository import Repository
from jumar.workspace.settings import Plan, Settings, listed, load_plan

CHECKOUT_LIMIT = 3600.0  # seconds: the user's filters may fetch large files


def plan_file(settings: Settings) -> Path:
    """Where the plan is kept."""
    return settings.state / "workspace.json"


def get_plan(repository: Repository, settings: Settings) -> Plan:
    """The plan of this run: the one on disk, or a new one."""
    if plan := load_plan(plan_file(settings)):
        return plan
    git = repository.git
    identity = find_identity(git)
    place = find_place(repository.common_dir, settings.run, settings.place)
    if place.exists() and any(place.iterdir()):
        raise RefusedError(
            f"{place} exists and is not empty.", hint="Remove it, or name another folder with `--worktree`."
        )
    branch = free_branch(git, settings.branch)
    base = make_base(repository, settings, identity)
    plan = Plan(
        settings.run,
        repository.head,
        base.commit,
        branch,
        str(place),
        identity,
        base.notes + link_notes(settings),
    )
    settings.fuse("open:plan")
    plan.save(plan_file(settings))
    return plan


def free_branch(git: Git, wanted: str) -> str:
    """A name that no branch has: `-2`… is added, and the first slash becomes `-` where a branch stands in its way."""
    names = set(
        os.fsdecode(git.run("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")).split("\n")
    )
    git.run("check-ref-format", "--branch", wanted)
    while (head := wanted.partition("/"))[1] and any(wanted.startswith(name + "/") for name in names if name):
        wanted = f"{head[0]}-{head[2]}"
    candidate, number = wanted, 1
    while candidate in names or any(name.startswith(candidate + "/") for name in names):
        number += 1
        candidate = f"{wanted}-{number}"
    return candidate


def refs_of(git: Git, run: str) -> list[str]:
    """Every reference of a run but its branch."""
    return os.fsdecode(git.run("for-each-ref", "--format=%(refname)", f"refs/jumar/{run}/")).split("\n")[:-1]


def locks_for(repository: Repository, plan: Plan) -> Locks:
    """The locks that only this run's calls can have made."""
    common = repository.common_dir
    owned = [common / f"refs/jumar/{plan.run}", common / f"refs/heads/{plan.branch}.lock"]
    return Locks([*owned, Path(plan.admin)] if plan.admin else owned)


def make_worktree(repository: Repository, settings: Settings, plan: Plan) -> None:
    """Make branch and worktree, without files yet. What an earlier call left half done is removed first.

    A failure leaves nothing of a run that never began; of one that did, branch and references stay.
    """
    git = repository.git
    remove_worktree(git, plan)
    try:
        if not plan.ready:
            _make_refs(git, settings, plan)
        settings.fuse("open:branch")
        make_private(Path(plan.place))
        git.run("worktree", "add", "--quiet", "--no-checkout", "--force", plan.worktree, plan.branch)
        settings.fuse("open:worktree")
        plan.admin = admin_of(plan.worktree)
        plan.save(plan_file(settings))
        if not plan.ready:
            fill = Git(Path(plan.admin), work_tree=plan.worktree, limit=CHECKOUT_LIMIT)
            fill.run("read-tree", "-u", "--reset", plan.base)
    except (JumarError, OSError) as problem:
        if not plan.ready:
            remove_all(repository, settings, plan, branch=True)
        raise explained(problem) from problem


def _make_refs(git: Git, settings: Settings, plan: Plan) -> None:
    code, found = git.call("rev-parse", "--quiet", "--verify", f"refs/heads/{plan.branch}", ok=(0, 1))
    if code == 0 and found.decode().strip() != plan.base:
        # Someone took the name between an interrupted start and this one.
        plan.branch = free_branch(git, settings.branch)
        plan.save(plan_file(settings))
    git.run("update-ref", f"refs/jumar/{plan.run}/base", plan.base)
    git.run("update-ref", f"refs/heads/{plan.branch}", plan.base)


def explained(problem: JumarError | OSError) -> JumarError:
    """The refusal for a worktree that cannot be made: git's own reason, and that nothing was done instead."""
    said = problem.stderr if isinstance(problem, GitError) else str(problem)
    return RefusedError(
        f"The worktree cannot be made: {said or problem}",
        hint="Nothing was left behind and your checkout was not touched. Mend the cause, then start again.",
    )


def admin_of(worktree: Path) -> str:
    """The worktree's git folder, as git wrote it down."""
    return os.fsdecode((worktree / ".git").read_bytes()).removeprefix("gitdir: ").strip()


def remove_worktree(git: Git, plan: Plan) -> None:
    """Remove the worktree and its registration, whole or half made. Submodules and locks need the force."""
    tree = plan.worktree
    for place in registered(git):
        if os.path.realpath(place) == os.path.realpath(tree):
            tree.mkdir(parents=True, exist_ok=True)
            git.call("worktree", "remove", "--force", "--force", place, ok=(0, 128))
    remove_folder(tree)
    folder = (git.git_dir or Path()) / "worktrees"
    for admin in folder.iterdir() if folder.is_dir() else ():
        link = admin / "gitdir"
        # A cut `worktree add` leaves a folder that git does not list yet.
        if link.exists() and os.fsdecode(link.read_bytes()).strip() == f"{tree}/.git":
            remove_folder(admin)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def registered(git: Git) -> list[str]:
    """The worktrees that git knows of."""
    out = git.run("worktree", "list", "--porcelain", "-z").split(b"\0")
    return [os.fsdecode(word.removeprefix(b"worktree ")) for word in out if word.startswith(b"worktree ")]


def remove_all(repository: Repository, settings: Settings, plan: Plan, *, branch: bool) -> None:
    """Remove worktree, trees, references and the workspace's own files; the branch too when asked."""
    git = repository.git
    remove_worktree(git, plan)
    names = refs_of(git, plan.run)
    if branch and not git.code("rev-parse", "--quiet", "--verify", f"refs/heads/{plan.branch}"):
        names.append(f"refs/heads/{plan.branch}")
    git.run(
        "update-ref",
        "--no-deref",
        "--stdin",
        "-z",
        input=os.fsencode("".join(f"delete {name}\0\0" for name in names)),
    )
    place = Path(plan.place)
    remove_folder(place)
    remove_empty(place.parent, 3)
    remove_folder(settings.state)


def remove_empty(folder: Path, levels: int) -> None:
    """Remove folders that nothing is left in, upwards."""
    for place in [folder, *folder.parents][:levels]:
        if not place.is_dir() or any(place.iterdir()):
            return
        place.rmdir()


def link_notes(settings: Settings) -> list[str]:
    """What it means that a folder comes as a link."""
    linked = [name for name, how in settings.carry.items() if how == "link"]
    if not linked:
        return []
    return [
        f"{listed(linked)}: a link, so whoever writes there can change the files of your own checkout; `copy` cannot."
    ]


def carry_into(repository: Repository, settings: Settings, tree: Path) -> None:
    """Bring what git does not carry into a tree, as a copy or as a link."""
    for name, how in settings.carry.items():
        source, target = repository.root / name, tree / name
        if os.path.isabs(name) or ".." in Path(name).parts:
            raise RefusedError(
                f"carry names {name}, which lies outside the repository.", hint="Carry what is inside it."
            )
        if not os.path.lexists(source):
            raise RefusedError(
                f"carry names {name}, which is not in {repository.root}.",
                hint="Correct `carry` in the mission.",
            )
        remove_folder(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        if how == "link":
            target.symlink_to(source)
        else:
            copy_into(source, target)
