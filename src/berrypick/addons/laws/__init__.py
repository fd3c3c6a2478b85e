"""Laws of measures, tried on variants of a user's own files."""

from berrypick.addons.laws.check import check_laws as check_laws
from berrypick.addons.laws.check import laws as laws
from berrypick.addons.laws.result import BrokenLaw as BrokenLaw
from berrypick.addons.laws.result import Laws as Laws
