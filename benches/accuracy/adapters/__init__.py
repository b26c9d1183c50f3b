"""One file per contestant: how it is asked. Each runs in its own process, a peer in its own environment."""
