"""Opening a workspace: making it the first time, and finding it again after whatever happened."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from jumar.errors import RefusedError
from jumar.workspace.contents import Contents, has_attributes
from jumar.workspace.ignore import lay_out_rules
from jumar.workspace.repository import Repository, ensure_excluded
from jumar.workspace.settings import Plan, Settings
from jumar.workspace.snapshot import text
from jumar.workspace.tree import Tree
from jumar.workspace.trees import get_plan, locks_for, make_worktree, plan_file, remove_all
from jumar.workspace.workspace import GitWorkspace, set_up


def open_workspace(repository: Repository, settings: Settings) -> GitWorkspace:
    """The workspace of a run: made if this is its first time, finished if that was cut, found again otherwise.

    When it cannot be made, RefusedError gives git's reason and nothing is left behind; the user's checkout is never
    used instead.
    """
    ensure_excluded(repository.common_dir)
    plan = get_plan(repository, settings)
    if not plan.ready:
        return _make(repository, settings, plan)
    if not (plan.worktree / ".git").exists() and not Path(plan.admin, "HEAD").exists():
        make_worktree(repository, settings, plan)
    workspace = _assemble(repository, settings, plan)
    tree, base = workspace.maker_tree, workspace.contents.of_base
    if tree.pristine.exists():
        tree.load()
    else:
        # The place was swept away, and with it what was set up there.
        tree.match(base)
        set_up(repository, settings, tree, base)
    return workspace


def _make(repository: Repository, settings: Settings, plan: Plan) -> GitWorkspace:
    make_worktree(repository, settings, plan)
    with ExitStack() as undo:
        # Whatever stops it, a setup command included: a start that failed leaves nothing.
        undo.callback(remove_all, repository, settings, plan, branch=True)
        workspace = _assemble(repository, settings, plan)
        _refuse_submodules(workspace.contents, settings)
        _learn(workspace.contents, workspace.maker_tree, plan, repository)
        set_up(repository, settings, workspace.maker_tree, workspace.contents.of_base)
        settings.fuse("open:set-up")
        undo.pop_all()
    workspace.begin()
    plan.ready = True
    plan.save(plan_file(settings))
    return workspace


def _assemble(repository: Repository, settings: Settings, plan: Plan) -> GitWorkspace:
    git = repository.git
    git.locks = locks_for(repository, plan)
    rules, index = settings.state / "rules", settings.state / "base-index"
    rules.mkdir(parents=True, exist_ok=True)
    seen = git.at(work_tree=rules, index=index)
    smudged = {path.encode("utf-8", "surrogateescape"): oid for path, oid in plan.smudged.items()}
    contents = Contents(seen, plan.base, repository.object_format, smudged, attributes=plan.attributes)
    if not plan.ready or not index.exists():
        index.unlink(missing_ok=True)
        seen.run("read-tree", plan.base)
        lay_out_rules(contents, rules)
    workspace = GitWorkspace(repository, settings, plan, contents, git)
    workspace.store.prepare()
    return workspace


def _learn(contents: Contents, tree: Tree, plan: Plan, repository: Repository) -> None:
    """Which files of the base look different in a tree than in the repository: filters and line ends did that."""
    tree.look()
    for path, (_, blob) in contents.of_base.items():
        have = tree.known.get(path)
        if have is not None and have.oid != blob:
            contents.smudged[path] = have.oid
    contents.filtered |= contents.smudged.keys()
    plan.smudged = {text(path): oid for path, oid in contents.smudged.items()}
    plan.attributes = contents.attributes = has_attributes(
        repository.git, repository.common_dir, contents.of_base
    )


def _refuse_submodules(contents: Contents, settings: Settings) -> None:
    empty = sorted({text(path) for path in contents.of_base and contents.submodules} - set(settings.carry))
    if empty:
        raise RefusedError(
            f"{empty[0]} is a submodule, and would be empty in the trees of the run.",
            hint=f"Fill it in your checkout (`git submodule update --init {empty[0]}`) and add `carry: {{{empty[0]}: copy}}`.",
        )
