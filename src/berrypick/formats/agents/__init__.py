"""Sessions and traces of agents, and the changes that they are judged by."""
