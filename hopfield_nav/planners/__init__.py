"""Other ways to plan through the same map, for comparison with the network: ``planner.kind``."""
