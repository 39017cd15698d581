"""Several classes in an order of priority, and the cost-sensitive method beside it."""
