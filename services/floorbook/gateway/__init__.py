"""The gateway: takes facts from devices and terminals into the event log, and shows the floor."""
