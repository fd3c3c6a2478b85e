"""Base class of measures that ask at which rank each target is found, for add-ons and other packages."""

from berrypick.measures.spans._chunks import SpanMeasure as SpanMeasure
