"""Tables of reach, links, recorded sessions, reading logs, fitted readers, document lengths."""
