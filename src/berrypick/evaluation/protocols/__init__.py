"""Rules of campaigns and other programs, where they differ from ours."""
