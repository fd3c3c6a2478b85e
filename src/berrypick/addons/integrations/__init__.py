"""Where people already work: ir_measures, Haystack, LlamaIndex, LangSmith."""
