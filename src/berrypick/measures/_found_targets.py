"""Base classes of measures that ask at which rank each target is found or seen."""

from berrypick.measures.readers._targets import TargetMeasure as TargetMeasure
from berrypick.measures.spans._chunks import SpanMeasure as SpanMeasure
