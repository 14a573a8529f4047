"""Step 2, bytes to report: JUnit dialects, failure messages, LLM evidence. Knows no Django."""
