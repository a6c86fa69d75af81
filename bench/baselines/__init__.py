"""What a memory must beat: BM25, dense, their standardised sum with and without neighbours, the last turns, the full history.

In: the turns of one scope and a question. Out: a ranking of turns, or a plain context. They see the same units, words,
vectors and time limits as the memory under test, and share no code with its ranking.
"""

from bench.baselines.plain import filled, line, token_counts
from bench.baselines.rankings import Rankings

__all__ = ["Rankings", "filled", "line", "token_counts"]
