"""What people and programs meet; the only room that prints."""
