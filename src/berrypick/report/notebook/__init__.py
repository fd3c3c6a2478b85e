"""Values as notebooks show them: tables and drawings in HTML, without script."""
