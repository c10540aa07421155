"""Numbers with a unit that stand in sentences, outside the measured parts of a page.

    cd scripts && python -m documentation.sentence_numbers [--write]

Such a number is a setting, a definition or a citation, and listed as ``said`` in ``sentence_numbers.yaml``;
or it was measured once and typed, and listed as ``left`` there with the reason why it stays. What is on
neither list is printed, and so is what is listed and gone; a test holds both at none, and ``left`` at 40 at
most. ``--write`` makes the list anew, with what was on no list as ``said``: for whoever has looked at each.
"""

import re
from collections import Counter
from pathlib import Path

import typer
import yaml

ROOT = Path(__file__).resolve().parents[2]
LISTED = Path(__file__).with_name("sentence_numbers.yaml")
MOST_LEFT = 40
_ONE = r"[−-]?\d[\d,]*(?:\.\d+)?(?:e[−-]?\d+)?"
_UNIT = (
    r"(?:%|k?N(?:·m(?:·s)?(?:/(?:rad|s|A))?|/mm?|/s|·s/m)?|[µmn]?s|min|h|[µmck]?m(?:/s²?|²|³)?|[mµ]?rad(?:/s²?)?"
    r"|kg(?:·m²)?|[kM]?Hz|°C?|[kMGT]i?B|[mk]?W|J|A|V|minutes?|(?:milli|micro)?seconds?|hours?|times)"
)
_NUMBER = re.compile(rf"(?<![\w.\-/\[#]){_ONE}(?:(?:\s?(?:to|and|or|–|,|±|of|/)\s?){_ONE})*[\s-]?{_UNIT}(?![\w·/])")
_ASIDE = re.compile(r"<!-- measured.*?<!-- /measured -->|^ *```.*?^ *```|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def pages() -> list[Path]:
    """The README and the pages of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def found(text: str) -> list[str]:
    """The numbers with a unit in the sentences of a page, in their order."""
    written = _ASIDE.sub("", text)
    sentences = "\n".join(line for line in written.splitlines() if not line.startswith(("|", "    ")))
    return [" ".join(match[0].split()) for match in _NUMBER.finditer(sentences)]


def listed() -> tuple[dict[str, list[str]], list[dict[str, str]]]:
    """Those said, by page, and those left: page, number and reason of each."""
    lists = yaml.safe_load(LISTED.read_text(encoding="utf-8"))
    return lists["said"], lists["left"]


def differences() -> list[str]:
    """What stands in a sentence and on no list, and what is listed and gone, a line each."""
    said, left = listed()
    wrong = []
    for page in pages():
        there = Counter(found(page.read_text(encoding="utf-8")))
        known = Counter(said.get(page.name, [])) + _left_on(page.name, left)
        wrong += [f"{page.name}: {number} is on no list" for number in (there - known).elements()]
        wrong += [f"{page.name}: {number} is listed and gone" for number in (known - there).elements()]
    return wrong


def _left_on(page: str, left: list[dict[str, str]]) -> Counter[str]:
    return Counter(one["number"] for one in left if one["page"] == page)


def main(write: bool = False) -> None:
    """Print the counts and the differences; the exit status says whether there are any."""
    if write:
        _write()
    said, left = listed()
    wrong = differences()
    print(*wrong, f"{sum(map(len, said.values()))} said, {len(left)} left, {len(wrong)} to look at", sep="\n")
    raise SystemExit(bool(wrong))


def _write() -> None:
    _, left = listed()
    rows = {}
    for page in pages():
        there = Counter(found(page.read_text(encoding="utf-8")))
        there -= _left_on(page.name, left)
        if there:
            rows[page.name] = sorted(there.elements())
    head = LISTED.read_text(encoding="utf-8").split("said:")[0]
    lists = {"said": rows, "left": left}
    text = yaml.safe_dump(lists, allow_unicode=True, sort_keys=False, default_flow_style=None, width=110)
    LISTED.write_text(head + text, encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
