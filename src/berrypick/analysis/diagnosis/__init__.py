"""Diagnosis: where the answers of a truth are lost, in one run or through the stages of a pipeline."""
