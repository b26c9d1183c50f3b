"""The waist: sources, spans, splices, change sets and what is computed from them. Pure."""
