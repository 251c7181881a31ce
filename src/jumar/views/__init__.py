"""One file a view: `render(page)` gives bytes, or a mapping of names to bytes. Views import the core only, and can be thrown away and made again."""

from __future__ import annotations

from jumar.core.views import View
from jumar.views import progress, report, results

VIEWS: dict[str, View] = {
    "report": View("report.md", report.render),
    "progress": View("progress.svg", progress.render),
    "results": View("views/results.tsv", results.render, "trial"),
}
