"""Statistics as pictures: what is shown, a page, and a PNG."""
