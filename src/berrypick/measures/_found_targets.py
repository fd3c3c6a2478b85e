"""Base classes of measures that ask at which rank each target is found, or seen, for add-ons and other packages."""

from berrypick.measures.readers._targets import TargetMeasure as TargetMeasure
from berrypick.measures.spans._chunks import SpanMeasure as SpanMeasure
