"""`.env` files, with the place of every name and value."""
