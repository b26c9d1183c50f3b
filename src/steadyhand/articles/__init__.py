"""Articles and the code they depend on: attention rules, change reports, evidence and checks; no model is asked."""
