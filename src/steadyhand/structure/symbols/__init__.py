"""What the verbs mean for a symbol: how new code takes its place, and what must stay as it is around it."""
