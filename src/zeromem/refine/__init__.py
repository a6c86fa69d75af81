"""How memories are refined: shortened, judged in pairs, and every new wording checked against its source.

In: texts and how rare their words are in a scope. Out: texts, decisions, losses. Pure: no store, no clock, no model. A refined text is
shown in a memory's place; the memory itself, its facts, index terms and vectors stay as they were, so nothing here can lose anything.
"""
