"""File formats of INEX, MediaEval, TRECVID and TREC Genomics."""
