"""Planning where the surroundings are known: a plan that is free before the arm moves (nowoczyn2023)."""
