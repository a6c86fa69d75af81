-- What many owners have in common (a text, the name of a session or source) is looked up by owner.
DROP INDEX events_session;
DROP INDEX events_source;
DROP INDEX cards_hash;
CREATE INDEX events_session_user ON events (session, user, seq) WHERE session IS NOT NULL AND user IS NOT NULL;
CREATE INDEX events_session_agent ON events (session, agent, seq) WHERE session IS NOT NULL AND agent IS NOT NULL;
CREATE INDEX events_source_user ON events (source_id, user, seq) WHERE source_id IS NOT NULL AND user IS NOT NULL;
CREATE INDEX events_source_agent ON events (source_id, agent, seq) WHERE source_id IS NOT NULL AND agent IS NOT NULL;
CREATE INDEX cards_same ON cards (hash, user, agent, tenant);
