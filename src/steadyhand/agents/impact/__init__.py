"""From a change of the code to corrected articles."""
