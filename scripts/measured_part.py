"""Parts of a page that scripts write, each between two marks, and their copies in docs/measured.

``<!-- measured -->`` … ``<!-- /measured -->`` is the part without a name, its copy
docs/measured/PAGE.md. What stands behind ``<!-- measured: NAME -->`` has its copy in
docs/measured/PAGE.NAME.md. A script is told its page with ``--out``; a test compares every part
with its copy.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = "docs/measured"
PLACES = ("*.md", "lab/*.md")  # of pages, below docs
_PART = re.compile(
    r"<!-- measured(?:: (?P<name>\w+))? -->\n(?P<text>.*?)<!-- /measured -->", re.DOTALL
)


def parts(path: Path) -> dict[str, str]:
    """The measured parts of a page by name; the name of the one without is empty."""
    found = [(part["name"] or "", part["text"].strip()) for part in _PART.finditer(_text(path))]
    if len(dict(found)) < len(found):
        raise SystemExit(f"{path} has two measured parts of one name")
    return dict(found)


def read(path: Path, name: str = "") -> str:
    """A measured part of a page."""
    return parts(path)[name]


def write(text: str, path: Path, name: str = "") -> None:
    """Put a measured part between its marks; the file is made if there is none."""
    begin = f"<!-- measured: {name} -->" if name else "<!-- measured -->"
    if not path.exists():
        path.write_text(f"{begin}\n<!-- /measured -->\n", encoding="utf-8")
    if name not in parts(path):
        raise SystemExit(f"{path} has no mark {begin} with <!-- /measured --> behind it")

    def filled(part: re.Match[str]) -> str:
        return (
            f"{begin}\n\n{text}\n\n<!-- /measured -->" if (part["name"] or "") == name else part[0]
        )

    path.write_text(_PART.sub(filled, _text(path)), encoding="utf-8")
    if path.resolve() in _pages(ROOT):
        copy_of(ROOT, path, name).write_text(f"{text}\n", encoding="utf-8")


def tell(text: str, path: Path | None, name: str = "") -> None:
    """Print a measured part, and write it where there is a page for it."""
    print(text, flush=True)
    if path is not None:
        write(text, path, name)


def table(head: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    first, *others = [
        "|" + "|".join(f" {cell} " if cell else " " for cell in row) + "|" for row in (head, *rows)
    ]
    return "\n".join([first, "|---" * len(head) + "|", *others])


def differences(root: Path = ROOT) -> list[str]:
    """Where the pages of a checkout and what is kept of them are not the same, a sentence each."""
    found, known = [], set()
    for page in _pages(root):
        for name, text in parts(page).items():
            copy = copy_of(root, page, name)
            known.add(copy)
            if not copy.exists():
                found.append(f"{page.name}: {copy.name} is not kept")
            elif copy.read_text(encoding="utf-8").strip() != text:
                found.append(f"{page.name} is not as its script wrote it in {copy.name}")
    unknown = sorted(set((root / KEPT).glob("*")) - known)
    return found + [f"no page has the part that is kept in {copy.name}" for copy in unknown]


def _pages(root: Path) -> list[Path]:
    return [
        root / "README.md",
        *sorted(page for place in PLACES for page in (root / "docs").glob(place)),
    ]


def copy_of(root: Path, page: Path, name: str) -> Path:
    """Where the copy of a measured part is kept."""
    return root / KEPT / (f"{page.stem}.{name}.md" if name else page.name)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
