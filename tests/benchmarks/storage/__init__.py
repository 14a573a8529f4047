"""How the product stands on PostgreSQL: uploads, growth, pages, bytes, many clients at once."""
