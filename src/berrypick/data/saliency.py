"""How salient the clips of a video are: where truths and runs keep it."""

#: Under which saliency lies beside a topic, in truths (clips x annotators) and in runs (a number for each clip).
SALIENCY = "saliency"
#: Seconds of a clip.
CLIP = 2
