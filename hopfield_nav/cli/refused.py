"""How a command says that its input is bad: every fault on a line of its own."""

import sys


def say(message: str, status: int) -> int:
    """Print one line for the user, and return the exit status that goes with it."""
    from dynamics import printable

    print(f"hopfield-nav: {printable(' '.join(message.split()))}", file=sys.stderr, flush=True)
    return status


def say_refused(error: Exception) -> int:
    """Print what an error says, and what else is wrong with the same file; the exit status is 2."""
    for fault in (error, *getattr(error, "others", ())):
        say(str(fault), 2)
    return 2
