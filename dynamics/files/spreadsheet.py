"""What a spreadsheet makes of a cell of a CSV file."""

_BEGINS = ("=", "+", "-", "@", "\t", "\r")  # OWASP, "CSV Injection"


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would compute a cell of text: https://owasp.org/www-community/attacks/CSV_Injection."""
    return text.startswith(_BEGINS)
