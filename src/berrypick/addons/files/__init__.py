"""Files of every format: `berrypick check` says what they hold and what is wrong, `berrypick convert` rewrites them."""
