"""Laws of measures, tested on variants of a user's own files, and the conformance vectors."""

from berrypick.testing.result import BrokenLaw as BrokenLaw
from berrypick.testing.result import Laws as Laws
from berrypick.testing.trials import check_laws as check_laws
from berrypick.testing.trials import laws as laws
