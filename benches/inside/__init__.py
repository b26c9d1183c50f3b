"""What runs inside a peer's own environment: it imports that peer, the clock and the texts, and never Steadyhand."""
