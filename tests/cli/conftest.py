from __future__ import annotations

from user import project

__all__ = ["project"]
