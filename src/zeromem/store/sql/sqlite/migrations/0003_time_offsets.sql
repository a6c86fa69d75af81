-- The offset that `at` was given with, in minutes east of UTC. Of what was stored before it is not known: 0.
ALTER TABLE events ADD COLUMN at_offset INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cards ADD COLUMN at_offset INTEGER NOT NULL DEFAULT 0;
