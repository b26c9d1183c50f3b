"""Values to lines of pieces; one module for each kind of answer. Nothing here prints."""
