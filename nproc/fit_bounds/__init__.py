"""What is known of a fitted rule beyond its level."""
