"""Evaluators for pytest, ir_measures, MLflow, LangSmith, ragas, DeepEval, Haystack, LlamaIndex and promptfoo."""
