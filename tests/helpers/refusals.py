"""What the tests ask of every refusal: its error, its words, and that it is told in one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dynamics import BadInput


@contextmanager
def refused(words: str, error: type[Exception] = BadInput) -> Iterator[pytest.ExceptionInfo]:
    """The block is refused by this error, in one line that matches ``words``."""
    with pytest.raises(error, match=words) as caught:
        yield caught
    assert "\n" not in str(caught.value)


def refused_by_command(capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> str:
    """The one line of error, which holds ``words``, of a command that ends with status 2."""
    from hopfield_nav.cli.app import main

    capsys.readouterr()  # what was printed before
    assert main(arguments) == 2
    output = capsys.readouterr()
    # a cold cache; a choice of method
    (line,) = [
        x
        for x in output.err.splitlines()
        if not x.startswith(("compiling once", "compiled in")) and " leaves out " not in x
    ]
    assert line.startswith("hopfield-nav: ")
    assert words in line
    assert output.out == ""
    return line
