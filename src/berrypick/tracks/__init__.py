"""Tracks of campaigns: track files, checks of submissions, official results, and the pages that publish them."""
