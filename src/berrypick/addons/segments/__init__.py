"""Measures of video segments, as MediaEval and TRECVID have them."""
