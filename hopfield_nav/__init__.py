"""A UR5 that cannot see, finding its way by touch with a Hopfield neural network."""
