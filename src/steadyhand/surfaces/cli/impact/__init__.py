"""The commands of `steadyhand impact`, a file each."""
