"""The pages: views that read, templates that show."""
