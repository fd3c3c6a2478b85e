"""What campaigns and their programs have of their own: formats and protocols of INEX, MediaEval, TRECVID and TREC
Genomics, and the measure of chunking_evaluation."""
