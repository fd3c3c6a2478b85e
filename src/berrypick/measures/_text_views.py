"""The relevant text that a ranking returns, for measures of text."""

from berrypick.measures.spans._text import Article as Article
from berrypick.measures.spans._text import View as View
from berrypick.measures.spans._text import articles as articles
from berrypick.measures.spans._text import text_table as text_table
from berrypick.measures.spans._text import unjudged_of as unjudged_of
from berrypick.measures.spans._text import view_of as view_of
from berrypick.measures.spans._text import without_text as without_text
