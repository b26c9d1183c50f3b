"""Agents of our own: a model, a conversation with one kit of tools, and the work that is made of such conversations."""
