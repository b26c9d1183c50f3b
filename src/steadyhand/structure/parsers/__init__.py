"""One module or folder per format: text to what stands where, nothing lost."""
