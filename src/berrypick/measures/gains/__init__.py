"""Measures of cumulated gain over elements: XCG, effort-precision, generalised recall."""
