"""The comparison of the planners for known surroundings: cell, methods, independent check, table."""
