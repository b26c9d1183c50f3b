"""Many simulated agents on one tree, and an oracle that says whether the product kept its promises to each of them."""
