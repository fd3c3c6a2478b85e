"""Blocks of topics: compressed in two parts, read as one."""

import base64
import gzip
import json

from berrypick.report.html.json_numbers import JsonText
from berrypick.report.html.topic_blocks import TopicBlock, TopicDocuments


def topic(documents):
    return {
        "topic": "1",
        "documents": documents,
        "targets": [{"doc": 0}],
        "runs": [{"ranks": 3, "results": [[k, "é"] for k in range(200)]}, {"ranks": 1, "results": []}],
        "boxes": None,
    }


def unpacked(block):
    return json.loads(gzip.decompress(base64.b64decode(block)))  # which checks sum and length as well


def test_two_parts_are_one_block_with_the_numbers_of_documents():
    names = ["a", "b", "ü"]
    heads = [f'{{"name":{json.dumps(name)},"length":9,"block":' for name in names]
    given = topic(TopicDocuments(names, heads, [',"relevant":0'] * 3))
    expected = topic([{"name": name, "length": 9, "block": None, "relevant": 0} for name in names])
    block = TopicBlock.of({**given, "runs": JsonText(json.dumps(given["runs"]))}, 1)
    assert unpacked(block.packed({}, {})) == expected
    assert (len(block.packed({}, {})), block.holds, block.cut) == (block.size, {0}, 1)
    expected["documents"][0] |= {"block": 7}
    expected["documents"][2] |= {"block": 0, "pictures": {"1": 3}}
    found = unpacked(block.packed({"a": 7, "ü": 0}, {"ü": {1: 3}}))
    assert found == expected
    assert list(found) == list(expected)
