"""What is checked of berrypick's own classes is checked of those of another package as well."""

import example_plugin
import pytest


@pytest.fixture(scope="module", autouse=True)
def plugin(installed_plugin):
    with example_plugin.discoverable(installed_plugin):
        yield
