"""Addresses to nodes, and what can be done to nodes as proposed splices. Pure; locates and proposes, never applies."""
