"""git as memory: the trees a run works in, its branch, its references, and the hand-off to the user."""

from jumar.workspace.base import left_behind
from jumar.workspace.opening import open_workspace
from jumar.workspace.repository import Repository, ensure_excluded, find_repository
from jumar.workspace.settings import Settings
from jumar.workspace.workspace import GitWorkspace

__all__ = [
    "GitWorkspace",
    "Repository",
    "Settings",
    "ensure_excluded",
    "find_repository",
    "left_behind",
    "open_workspace",
]
