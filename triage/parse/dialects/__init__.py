"""How each tool writes JUnit XML where its reading departs from the plain one, by family."""
