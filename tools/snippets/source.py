"""A snippet file as data: its named sections, what each one needs, and its content hash.

A section is a run of whole top-level statements between two comments:

    # --8<-- [start:name]
    # --8<-- [end:name]

What stands outside the sections is imports, and the `agree` values at the end. A section sees the
file's imports and what earlier sections bound, and nothing else: hidden state is an error.
"""

from __future__ import annotations

import ast
import builtins
import dis
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import CodeType

from tools.project import FRAMEWORKS, ROOT, SNIPPETS, GuideError, digest, relative

MARKER = re.compile(r"^(?P<indent>\s*)#\s*-{1,}8<-{1,}\s*\[\s*(?P<kind>start|end)\s*:\s*(?P<name>[\w-]+)\s*\]\s*$")


@dataclass(frozen=True)
class Section:
    """Lines `first` to `last` (1-based, inclusive) of a file, without the markers."""

    name: str
    first: int
    last: int
    code: str


@dataclass(frozen=True)
class Shown:
    """A section as a page shows it: runnable once the sections it continues have run."""

    code: str
    continues: tuple[str, ...]


class Snippet:
    """One file under snippets/<framework>/."""

    def __init__(self, path: Path, framework: str = "", topic: str = "") -> None:
        self.path = path
        self.framework = framework or path.relative_to(SNIPPETS).parts[0]
        self.topic = topic or path.relative_to(SNIPPETS / self.framework).with_suffix("").as_posix()
        try:
            self.text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise GuideError(f"{relative(path)}: cannot be read ({error})") from None

    def _fail(self, line: int, problem: str) -> GuideError:
        return GuideError(f"{relative(self.path)}:{line}: {problem}")

    @cached_property
    def sections(self) -> dict[str, Section]:
        """Name -> section, in file order. Raises GuideError for a marker that does not pair up."""
        lines = self.text.splitlines()
        found: dict[str, Section] = {}
        opened: tuple[str, int] | None = None
        for number, line in enumerate(lines, start=1):
            match = MARKER.match(line)
            if not match:
                continue
            name = match["name"]
            if match["indent"]:
                raise self._fail(number, "a section marker must not be indented")
            if match["kind"] == "start":
                if opened:
                    raise self._fail(number, f"section {name} starts inside section {opened[0]}")
                if name in found:
                    raise self._fail(number, f"section {name} is there twice")
                opened = (name, number)
            else:
                if not opened or opened[0] != name:
                    raise self._fail(number, f"section {name} ends without a start")
                first, last = opened[1] + 1, number - 1
                found[name] = Section(name, first, last, "\n".join(lines[first - 1 : last]).strip("\n"))
                opened = None
        if opened:
            raise self._fail(opened[1], f"section {opened[0]} is never ended")
        return found

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed file. Raises GuideError for a syntax error, with its line."""
        try:
            return ast.parse(self.text, filename=relative(self.path))
        except SyntaxError as error:
            raise self._fail(error.lineno or 1, f"syntax error: {error.msg}") from None

    @cached_property
    def segments(self) -> list[tuple[str | None, list[ast.stmt]]]:
        """Top-level statements in file order, grouped by section (None between sections)."""
        groups: list[tuple[str | None, list[ast.stmt]]] = []
        for statement in self.tree.body:
            owner = self._owner(statement)
            if groups and groups[-1][0] == owner:
                groups[-1][1].append(statement)
            else:
                groups.append((owner, [statement]))
        return groups

    def _owner(self, statement: ast.stmt) -> str | None:
        first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
        last = statement.end_lineno or first
        for section in self.sections.values():
            if section.first <= first and last <= section.last:
                return section.name
            if first <= section.last and last >= section.first:
                raise self._fail(first, f"section {section.name} cuts through a statement")
        return None

    @cached_property
    def digest(self) -> str:
        """Hash of this file, as it was read, and of every file of the repository that it imports."""
        self.tree  # noqa: B018  a file that does not parse is named before its imports are followed
        # Not the file as it is now: it may have been saved again while this text was running.
        return digest(self.text.encode(), *(path.read_bytes() for path in repository_imports(self.path)))

    @cached_property
    def _imports(self) -> dict[str, ast.Import | ast.ImportFrom]:
        """Name bound -> the import statement outside all sections that binds it."""
        return {
            _bound(alias): statement
            for owner, statements in self.segments
            for statement in statements
            if owner is None and isinstance(statement, (ast.Import, ast.ImportFrom))
            for alias in statement.names
        }

    def _import_lines(self, used: list[str]) -> list[str]:
        """The file's import statements in file order, each cut down to the names in use."""
        lines = []
        for statement in dict.fromkeys(self._imports.values()):
            names_used = [alias for alias in statement.names if _bound(alias) in used]
            if not names_used:
                continue
            if isinstance(statement, ast.Import):
                cut: ast.stmt = ast.Import(names_used)
            else:
                cut = ast.ImportFrom(statement.module, names_used, statement.level)
            lines.append(ast.unparse(cut))
        return lines

    @cached_property
    def shown(self) -> dict[str, Shown]:
        """Section name -> what a page prints: the imports it uses, then the section.

        Raises GuideError where a section uses a name that no import and no earlier section binds.
        """
        shown: dict[str, Shown] = {}
        binders: dict[str, str] = {}
        for section in self.sections.values():
            statements = [s for owner, group in self.segments if owner == section.name for s in group]
            free, bound = names(compile(ast.Module(statements, []), section.name, "exec"))
            used: list[str] = []
            continues: list[str] = []
            for name in free:
                if name in binders:
                    continues.append(binders[name])
                elif name in self._imports:
                    used.append(name)
                elif not hasattr(builtins, name) and name not in ("__name__", "__file__"):
                    raise self._fail(section.first, f"section {section.name} uses {name!r}, which no section shows")
            imports = self._import_lines(used)
            code = "\n".join(imports) + ("\n\n" if imports else "") + section.code
            order = [name for name in self.sections if name in continues]
            shown[section.name] = Shown(code, tuple(order))
            binders.update(dict.fromkeys(bound, section.name))
        return shown


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def names(code: CodeType, nested: bool = False) -> tuple[list[str], set[str]]:
    """Names that a compiled module reads before it binds them, in order, and names that it binds."""
    bound: set[str] = set()
    free: list[str] = []
    later: list[str] = []
    for instruction in dis.get_instructions(code):
        name = instruction.argval
        if instruction.opname == "STORE_NAME" and not nested:
            bound.add(name)
        elif instruction.opname in ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"):
            if name not in bound:
                free.append(name)
        elif isinstance(name, CodeType):
            own = {i.argval for i in dis.get_instructions(name) if i.opname == "STORE_NAME"}
            later += [n for n in names(name, nested=True)[0] if n not in own]
    # A function reads its globals when it is called, so what the section binds anywhere counts.
    free += [name for name in later if name not in bound]
    return list(dict.fromkeys(free)), bound


def repository_imports(path: Path) -> list[Path]:
    """Files of this repository that a Python file imports, directly or not, sorted."""
    found: set[Path] = set()
    queue = [path]
    while queue:
        source = queue.pop()
        try:
            tree = ast.parse(source.read_bytes())
        except SyntaxError as error:
            raise GuideError(f"{relative(source)}:{error.lineno}: syntax error: {error.msg}") from None
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                modules = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            else:
                continue
            for module in modules:
                candidate = ROOT.joinpath(*module.split(".")).with_suffix(".py")
                if candidate.is_file() and candidate not in found:
                    found.add(candidate)
                    queue.append(candidate)
    return sorted(found)


def topics() -> list[str]:
    """Every topic that stands in at least one framework's folder, sorted."""
    found = set()
    for framework in FRAMEWORKS:
        folder = SNIPPETS / framework
        found |= {p.relative_to(folder).with_suffix("").as_posix() for p in folder.rglob("*.py")}
    return sorted(found)


def snippet(framework: str, topic: str) -> Snippet | None:
    """The snippet file of a topic on one side, or None where that side has none."""
    path = SNIPPETS / framework / f"{topic}.py"
    return Snippet(path, framework, topic) if path.is_file() else None
