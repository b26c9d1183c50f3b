"""One module per family of places, with what the verbs mean there."""
