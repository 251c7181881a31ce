from __future__ import annotations

from user import project, warm

__all__ = ["project", "warm"]
