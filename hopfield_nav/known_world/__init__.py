"""Planning where the surroundings are known: ways, their timing, files for a real arm (nowoczyn2023)."""
