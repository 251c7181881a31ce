"""One file a view: `render(page) -> bytes`. Views import the core only, and can be thrown away and made again."""

from __future__ import annotations

from collections.abc import Callable

from jumar.core.views import Page
from jumar.views import progress, report, results

VIEWS: dict[str, tuple[str, Callable[[Page], bytes]]] = {
    "report": ("report.md", report.render),
    "progress": ("progress.svg", progress.render),
    "results": ("views/results.tsv", results.render),
}
