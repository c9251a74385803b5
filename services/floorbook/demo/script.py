"""What chance brings in a round of Thirteen Cards, under the name by which the benchmarks know it."""

from floorbook.demo.thirteen_cards.script import dealt as dealt
from floorbook.demo.thirteen_cards.script import script_of as script_of
