"""Right, refused or wrong: Steadyhand and its peers on the same cases; `make accuracy`, docs/benchmarks.md."""
