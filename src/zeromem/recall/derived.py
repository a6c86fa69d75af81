"""What a model derived from a message stands and falls with it, and is never a second answer beside it.

In: the ranked cards that were read, and which current cards of the same words each derived one stands on. Out: the ranking, where only what holds
is wanted, without the derived ones whose source is among them, is held by the caller, or no longer holds; the source takes the better place of
both, for it says all that the derived one says. Without a derived card among those that were read it does nothing.
"""

from __future__ import annotations

from dataclasses import replace

from zeromem.plural import counted
from zeromem.proposals import MODEL
from zeromem.recall.state import Recall


def derived(recall: Recall) -> Recall:
    """Take derived cards out of the ranking that their sources speak for."""
    made = [i for i in recall.ranked if i in recall.cards and MODEL in recall.cards[i].made_by]
    if not made or not recall.single or recall.scores is None:
        return replace(recall, note="nothing is said twice")
    rows = recall.stands_on([recall.cards[i].id for i in made])
    sources = {i: recall.snapshot.positions(rows.get(recall.cards[i].id, [])).tolist() for i in made}
    order, scores, gone = list(recall.ranked), recall.scores.copy(), 0
    for i in made:
        beside = [j for j in sources[i] if j in order]
        if beside:
            best = min(beside, key=order.index)
            place = min(order.index(i), order.index(best))
            scores[best] = max(scores[best], scores[i])
            order.remove(best)
            order.insert(place, best)
        over = bool(sources[i]) and all(recall.past(j) or recall.held[j] for j in sources[i])
        if beside or over:
            order.remove(i)
            gone += 1
    note = f"{counted(gone, 'derived memory')} left to what it is derived from" if gone else "nothing is said twice"
    return replace(recall, ranked=tuple(order), scores=scores, note=note)
