"""How test frameworks state what was expected and what was observed, a module per family."""
