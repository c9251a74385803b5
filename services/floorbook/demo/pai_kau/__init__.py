"""Taiwan Pai Kau as simulated people play it."""
