"""The parts of the pictures: each draws on axes that it is given, from a record, and simulates nothing."""
