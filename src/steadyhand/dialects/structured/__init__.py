"""The parts of reading and writing edits as JSON, also JSON that is not quite JSON."""
