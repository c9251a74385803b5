"""Books what the tables want booked: once, balanced, never altered."""
