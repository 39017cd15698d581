"""The classical scoring methods, one idea a file."""
