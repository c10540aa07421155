"""The figures of the document: 3.1, 3.2, and all configurations of one pose."""
