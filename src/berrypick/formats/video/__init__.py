"""Video segments and moments: MediaEval, TRECVID, and data sets of moments."""
