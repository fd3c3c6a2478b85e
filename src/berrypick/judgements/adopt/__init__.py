"""Golden files, as any program wrote them, converted to judgements."""
