"""Source code: languages, their grammars, and symbols."""
