"""floorbook's demonstration: real servers, services and simulated tables on one machine.

Nothing here is imported by a service.
"""
