"""The HTTP API: one module per noun, one error shape."""
