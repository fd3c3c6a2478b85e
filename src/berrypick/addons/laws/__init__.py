"""Laws of measures, tried on variants of a user's own files."""

from berrypick.addons.laws.result import BrokenLaw as BrokenLaw
from berrypick.addons.laws.result import Laws as Laws
from berrypick.addons.laws.trials import check_laws as check_laws
from berrypick.addons.laws.trials import laws as laws
