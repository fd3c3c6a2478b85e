"""Names that people type for measures of documents: trec_eval's, ranx's and everybody's, in any case.

Names of our own are exact; these stand for one of them, and are shown as they are typed.
"""

from __future__ import annotations

import re

from berrypick.data import spec as specs

#: Names to ours. A name with a cut-off behind it is one of trec_eval's: ``ndcg_cut_10``, ``P_5``.
TYPED = {
    "map": "AP", "map_cut": "AP", "mean_average_precision": "AP",
    "ndcg": "nDCG", "ndcg_cut": "nDCG", "ndcg_burges": "nDCG(dcg='exp-log2')",
    "mrr": "RR", "recip_rank": "RR", "reciprocal_rank": "RR",
    "precision": "P", "recall": "R", "f1": "SetF", "r_precision": "Rprec", "rprec": "Rprec", "bpref": "Bpref",
    "hit_rate": "Success", "hitrate": "Success", "success": "Success",
    "set_p": "SetP", "set_recall": "SetR", "set_f": "SetF", "set_map": "SetAP", "infap": "infAP",
    "num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRet(rel=1)", "num_q": "NumQ",
}  # fmt: skip
#: Those of trec_eval that have their cut-off in the name, after a line or, as its option -m has it, after a dot.
_CUT = re.compile(r"(?P<name>map_cut|ndcg_cut|p|recall|success)[_.](?P<at>\d+(?:,\d+)*)", re.IGNORECASE)
_LEVEL = re.compile(r"iprec_at_recall_(?P<at>\d(?:\.\d+)?)", re.IGNORECASE)
_WITH_CUT = {"p": "P", "success": "Success"}


def stands_for(text: str) -> str:
    """The text of our measure that a typed one stands for; '' if it is none of these."""
    if found := _CUT.fullmatch(text):
        name = found["name"].lower()
        return f"{_WITH_CUT.get(name) or TYPED[name]}@{found['at']}" if "," not in found["at"] else ""
    if found := _LEVEL.fullmatch(text):
        return f"IPrec@{float(found['at']):g}"
    name = re.match(r"[A-Za-z_]\w*", text)
    ours = TYPED.get(name[0].lower(), "") if name else ""
    if not name or not ours:
        return ""
    rest = text[name.end() :]
    if ours.endswith(")") and rest.startswith("("):
        return f"{ours[:-1]},{rest[1:]}" if not rest.startswith("()") else f"{ours}{rest[2:]}"
    return f"{ours}{rest}"


def split_measures(text: str) -> list[str]:
    """Measures in a text, those with several cut-offs one by one."""
    return [one for part in specs.split(text) for one in (_listed(part) if "," in part else [part])]


def _listed(text: str) -> list[str]:
    """A text with several cut-offs as one for each: ``P@1,3,5`` and ``P_1,3,5`` are three measures."""
    head, sign, tail = text.rpartition("@")
    numbers = tail.split(",")
    if sign and len(numbers) > 1 and all(re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", one) for one in numbers):
        return [f"{head}@{one.strip()}" for one in numbers]
    if (found := _CUT.fullmatch(text)) and "," in found["at"]:
        return [f"{text[: found.start('at')]}{one}" for one in found["at"].split(",")]
    return [text]
