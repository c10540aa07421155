"""What machine code in an object file asks for by name (ELF: System V ABI, chapter 4)."""

import struct
from collections.abc import Iterator

_MAGIC = b"\x7fELF\x02\x01"  # of 64 bits, the lowest byte first
_SYMBOLS = 2  # the kind of a section
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")


def undefined_names(code: bytes) -> Iterator[str]:
    """The names of functions and variables that an object file uses and does not have.

    None for a file of another system, where nothing is known of its names.
    """
    if not code.startswith(_MAGIC):
        return
    (table,) = struct.unpack_from("<Q", code, 0x28)
    size, count = struct.unpack_from("<HH", code, 0x3A)
    sections = [_SECTION.unpack_from(code, table + k * size) for k in range(count)]
    for _, kind, _, _, begin, length, names, *_ in sections:
        if kind != _SYMBOLS:
            continue
        words = sections[names][4]
        for place in range(begin, begin + length, _SYMBOL.size):
            name, _, _, section, _, _ = _SYMBOL.unpack_from(code, place)
            if name and section == 0:
                end = code.index(b"\0", words + name)
                yield code[words + name : end].decode()
