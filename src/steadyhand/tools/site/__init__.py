"""Web pages: operations on elements by selector, tolerant search and replace, batches over pages."""
