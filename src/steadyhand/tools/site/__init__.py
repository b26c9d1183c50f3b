"""Web pages: edit elements by selector, search and replace tolerantly, change many pages at once."""
