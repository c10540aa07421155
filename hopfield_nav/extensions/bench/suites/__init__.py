"""The suites that come with the program: their files, their rows, and what they draw and measure."""
