"""Names that the papers print for measures and curves, and what each stands for here.

``ep/gr``, ``nxCG[5]`` and ``EPRUM-BEP-Exh-BEPDistance`` are not names that our language of measures can hold, so they
are replaced before a text is parsed. A name that two papers or programs give to two things is told apart by
:data:`TWO_MEANINGS`.
"""

from __future__ import annotations

import re

#: Names as printed, and the measure that each stands for.
PRINTED = {"EPRUM-BEP-Exh-BEPDistance": "EPRUM(user='bep')"}
#: Measures whose papers write the rank or level in square brackets.
BRACKETED = ("xCG", "nxCG", "gr", "GR", "GainRecall", "gP", "gR", "iP")
_BRACKETED = re.compile(rf"(?P<name>{'|'.join(BRACKETED)})(?P<given>\(.*\))?\[(?P<at>\d+(?:\.\d+)?)\]")
_CURVE = re.compile(r"ep/gr(?P<given>\(.*\))?(?P<at>@\s*\S+)?")
#: What a person should know about a name before they use it.
TWO_MEANINGS = {
    "ERR": "ERR means two things. Here, as in ir_measures, it is expected reciprocal rank. The papers on user models "
    "call the expected ratio of relevant units ERR: that is ExpectedRatio.",
    "MAep": "MAep means two things. Here it is that of INEX 2006, without navigation. The 2007 paper takes the same "
    "mean for readers who navigate: that is epnav(points='run').",
    "ep/gr": "ep/gr is a curve. Without a level it stands for MAep, the mean over the curve; at a level, as in "
    "ep/gr@0.5, for epgr.",
    "GR": "GR is GainRecall, the share of the total gain at a rank. gR, which differs in one capital, is generalised "
    "recall of articles.",
    "gR": "gR is generalised recall of articles. GR, which differs in one capital, is GainRecall.",
    "EPRUM-BEP-Exh-BEPDistance": "EPRUM-BEP-Exh-BEPDistance is EPRUM for readers who look for entry points: "
    "EPRUM(user='bep').",
}


def stands_for_printed(text: str) -> str:
    """Return the text of our measure that a name of the papers stands for; '' if it is none of these."""
    if text in PRINTED:
        return PRINTED[text]
    if found := _BRACKETED.fullmatch(text):
        return f"{found['name']}{found['given'] or ''}@{found['at']}"
    if found := _CURVE.fullmatch(text):
        return f"{'epgr' if found['at'] else 'MAep'}{found['given'] or ''}{found['at'] or ''}"
    return ""


def explained(text: str) -> str:
    """Return what to know about a name that means two things, or that stands for another; '' for most."""
    name = next((one for one in ("ep/gr", *PRINTED) if text.startswith(one)), "")
    name = name or re.split(r"[(@\[]", text, maxsplit=1)[0]
    return TWO_MEANINGS.get(name, "")
