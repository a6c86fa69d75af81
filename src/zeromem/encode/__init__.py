"""From what callers hand in to what is stored: messages to events, events to candidate cards. Pure."""
