"""Speed and memory, measured against a floor in the same run; `make bench`, figures in docs/benchmarks.md."""
