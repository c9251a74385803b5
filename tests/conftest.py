"""What holds for all tests: none fails because the machine was slow for a moment."""

from hypothesis import HealthCheck, settings

settings.register_profile("floorbook", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("floorbook")
