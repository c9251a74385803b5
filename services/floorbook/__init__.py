"""floorbook: table games from device reading to double-entry ledger."""
