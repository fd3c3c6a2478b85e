"""Campaigns: track files, checks of submissions, official results, leaderboard, pages of participants."""
