"""A model's score: real small changes, asked for in every dialect and through every toolset, and how they came out."""
