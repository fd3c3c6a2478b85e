"""Power under the names that people type."""

import berrypick as bp


def test_metrics_is_another_name_of_the_measures():
    truth = {str(i): {"a": 1} for i in range(4)}
    runs = {"x": {str(i): {"a": 1.0} for i in range(4)}, "y": {str(i): {"b": 2.0, "a": 1.0} for i in range(4)}}
    found = bp.power(truth, runs, metrics="P@1", resamples=100)
    assert found.to_json() == bp.power(truth, runs, "P@1", resamples=100).to_json()
