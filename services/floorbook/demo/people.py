"""How simulated people play Thirteen Cards, under the name by which the benchmarks know it."""

from floorbook.demo.thirteen_cards.people import banker_lays as banker_lays
from floorbook.demo.thirteen_cards.people import player_lays as player_lays
from floorbook.demo.thirteen_cards.people import rules_of as rules_of
from floorbook.demo.thirteen_cards.people import who_acts as who_acts
