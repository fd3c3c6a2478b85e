"""Laws of measures, tested on variants of a user's own files, and the conformance vectors."""

from berrypick.testing.checks import check_format as check_format
from berrypick.testing.checks import check_measure as check_measure
from berrypick.testing.checks import check_user_model as check_user_model
from berrypick.testing.result import BrokenLaw as BrokenLaw
from berrypick.testing.result import Laws as Laws
from berrypick.testing.trials import check_laws as check_laws
from berrypick.testing.trials import laws as laws
