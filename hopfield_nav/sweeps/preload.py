"""What a worker of a local cluster does first: leave Ctrl-C to the process that started it.

The terminal sends Ctrl-C to every process of the sweep; the one that collects the rows ends the others in good order.
"""

import signal
from contextlib import suppress

with suppress(ValueError):  # not the main thread of its process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
