"""From judgements to what readers want: targets, their gains, and for how many readers they are ideal."""
