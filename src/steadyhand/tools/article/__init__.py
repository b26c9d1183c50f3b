"""Documentation articles: exact, unique, explained replacements in the one article at hand."""
