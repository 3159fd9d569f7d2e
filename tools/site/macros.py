"""The whole vocabulary of the pages, for mkdocs-macros.

A macro that cannot print the truth prints a visible mark instead and notes a problem; when the build
ends, the problems are listed, one line each with the command that mends it, and the build fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import File

from tools.measure.schema import Campaign
from tools.project import FRAMEWORKS, LABELS, ROOT, GuideError, pinned, public_version
from tools.site import charts, claims, tables
from tools.site.documentation import documentation_markdown
from tools.site.text import label
from tools.site.twins import Twin, differences_table, twin_markdown

log = get_plugin_logger("guide")


class Book:
    """What one build has read and noted.

    Twins by topic, measurements by workload, problems, the pages that use each topic, the sections that each
    page shows, what each page ran, and the rendered pages.
    """

    def __init__(self, env: Any) -> None:
        self.env = env
        self.language: str = env.conf["extra"]["language"]
        self.twins: dict[str, Twin] = {}
        self.measurements: dict[str, tuple[Path, Campaign]] = {}
        self.problems: list[str] = []
        self.used: dict[str, set[str]] = {}
        self.shown: dict[str, set[str]] = {}
        self.ran: dict[str, set[tuple[str, str]]] = {}
        self.rendered: dict[str, str] = {}

    @property
    def page(self) -> Any:
        """The page being rendered."""
        return self.env.page

    @property
    def here(self) -> str:
        """Path of the page's source, from the docs folder of its language."""
        return self.page.file.src_uri

    def twin(self, topic: str) -> Twin:
        """A topic, read once for all pages, and noted as run for the page's foot."""
        self.used.setdefault(topic, set()).add(self.here)
        if topic not in self.twins:
            self.twins[topic] = Twin(topic)
        twin = self.twins[topic]
        for framework, side in twin.pair.sides.items():
            self.note_run(f"{LABELS[framework]} {public_version(side.version)}", side.executed[:10])
        return twin

    def show(self, twin: Twin, section: str) -> None:
        """Note a section as shown. Raises GuideError where it continues one that does not stand above it."""
        above = self.shown.setdefault(self.here, set())
        for snippet in twin.snippets.values():
            if section in snippet.sections:
                for earlier in snippet.shown[section].continues:
                    if f"{twin.topic}.{earlier}" not in above:
                        raise GuideError(f"{twin.topic}.{section} continues {earlier}; show that above it")
        above.add(f"{twin.topic}.{section}")

    def measurement(self, workload: str) -> tuple[Path, Campaign]:
        """A workload's measurement, read once for all pages."""
        if workload not in self.measurements:
            self.measurements[workload] = tables.newest_valid(workload)
        return self.measurements[workload]

    def note_run(self, what: str, date: str) -> None:
        """Remember for the page's foot that something ran."""
        self.ran.setdefault(self.here, set()).add((what, date))

    def publish(self, path: Path) -> str:
        """Put a file of the repository into the site under the same path; returns a Markdown link target."""
        uri = path.relative_to(ROOT).as_posix()
        files = self.env.variables["files"]
        if uri not in files.src_uris:
            files.append(File.generated(self.env.conf, uri, abs_src_path=str(path)))
        return "../" * self.here.count("/") + uri

    def problem(self, text: str) -> str:
        """Note a problem; returns what the page shows in its place."""
        line = f"docs/{self.language}/{self.here}: {text}"
        if line not in self.problems:
            self.problems.append(line)
        return f'<strong class="problem">{text}</strong>'


def define_env(env: Any) -> None:
    """Give the pages their macros (called by mkdocs-macros)."""
    book = env.guide = Book(env)
    language = book.language

    def macro(function: Callable[..., str]) -> Callable[..., str]:
        def guarded(*args: Any, **kwargs: Any) -> str:
            try:
                return function(*args, **kwargs)
            except GuideError as error:
                return book.problem(str(error))

        env.macro(guarded, function.__name__)
        return guarded

    @macro
    def twin(key: str) -> str:
        """Both sides of a section: twin("tensors.from_list")."""
        topic, _, section = key.rpartition(".")
        if not topic:
            raise GuideError(f"twin({key!r}) needs topic.section")
        pair = book.twin(topic)
        book.show(pair, section)
        link = {f: book.publish(s.path) for f, s in pair.snippets.items()}
        link["result"] = book.publish(ROOT / "results" / "snippets" / f"{topic}.json")
        return twin_markdown(pair, section, language, link)

    @macro
    def table(key: str) -> str:
        """A table computed from results: table("differences.tensors"), table("bench.mnist_cnn")."""
        kind, _, rest = key.partition(".")
        if kind == "differences":
            return differences_table(book.twin(rest), language)
        return tables.table(key, language, book)

    @macro
    def chart(key: str) -> str:
        """An inline chart: chart("bench.mnist_cnn.epoch_seconds")."""
        return charts.chart(key, language, book)

    @macro
    def measured(key: str) -> str:
        """One number of a run inside a sentence."""
        return tables.measured(key, language, book)

    @macro
    def fact(key: str) -> str:
        """A dated, sourced fact."""
        return claims.fact_markdown(key, language)

    @macro
    def claim(key: str) -> str:
        """A claim of earlier articles with its verdict and evidence."""
        return claims.claim_markdown(key, language, book)

    @macro
    def documentation(topic: str) -> str:
        """Where to read on about a topic: documentation("optimizers")."""
        return documentation_markdown(topic, language)

    @macro
    def not_executed(reason: str) -> str:
        """Stands before a fenced block that the tests do not run, and says why."""
        return f"<!-- not-executed: {reason} -->\n\n{label('not_executed', language, reason=reason)}\n{{ .continues }}"


def on_post_page_macros(env: Any) -> None:
    """Append the line that says which versions ran and when, and keep the finished Markdown."""
    book: Book = env.guide
    ran = book.ran.get(book.here, set())
    method = "../" * book.here.count("/") + "about/method.md"
    if ran:
        versions = ", ".join(sorted({what for what, _ in ran}, reverse=True))
        foot = label("ran", book.language, versions=versions, date=max(d for _, d in ran), method=method)
    else:
        pins = pinned()
        versions = ", ".join(f"{LABELS[f]} {pins[d]}" for f, d in FRAMEWORKS.items())
        foot = label("ran_nothing", book.language, versions=versions, method=method)
    book.rendered[book.here] = f"{env.markdown.rstrip()}\n\n{foot}\n{{ .ran }}\n"
    # Only the HTML needs a way to the Markdown; its address seen from the page, which is a folder.
    name = book.here.rsplit("/", 1)[-1]
    foot += f' · <a href="{name if name == "index.md" else f"../{name}"}">Markdown</a>'
    env.markdown = f"{env.markdown.rstrip()}\n\n{foot}\n{{ .ran }}\n"


def on_post_build(env: Any) -> None:
    """Publish the rendered Markdown and llms.txt, then fail if anything was wrong."""
    book: Book = env.guide
    site = Path(env.conf["site_dir"])
    for uri, text in book.rendered.items():
        page = site / uri
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    (site / "llms.txt").write_text(llms(env), encoding="utf-8")
    for line in book.problems:
        log.error(line)
    if book.problems:
        raise PluginError(f"{len(book.problems)} problem(s) above; nothing was published")


def llms(env: Any) -> str:
    """The index of the rendered Markdown, in the llms.txt form."""
    base = env.conf["site_url"] or ""
    lines = [f"# {env.conf['site_name']}", "", f"> {env.conf['site_description']}", ""]
    for page in env.variables["navigation"].pages:
        title = re.sub(r"\s+", " ", str(page.title or page.file.name))
        about = f": {page.meta['description']}" if page.meta.get("description") else ""
        lines.append(f"- [{title}]({base}{page.file.src_uri}){about}")
    return "\n".join(lines) + "\n"
