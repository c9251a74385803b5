"""Macau Mahjong (麻雀) at the table: section 7 of its rules, each step an event.

Where the rules leave it to the house, a table of ours does this:

- A tile machine seals the wall and opens each tile when it is drawn (`DeckOpened` with that one
  position, the dealt ones together). Positions count from the right-hand end of the dealer's own
  wall to the left around the table, the top of each stack before its bottom, from 0. The opening is
  the draw: who draws, and from which end, follows from what was done before.
- The croupier may report at his terminal whatever a player does; a player reports for himself alone.
- A claim window opens with each discard and each added kong. It closes when nothing still open could
  change how it ends, or when the table's time to think (an option; none by default) is over.
- Claims are judged when the window closes. Until then nobody but the claimant sees one, and who has
  answered is not shown either.
- Chips in front of a player stay there from hand to hand. They are held on the layout from the deal
  to the settlement and are added or taken between hands only.
- The house's charge is an option: so much a hand or a percentage, of what the winner wins. Nobody is
  charged for a draw or a false win.
- Who deals first is said (`DealerNamed`); then deal, round and cycle follow from each settlement. A
  void hand is dealt again by the same dealer.
- Of a settled hand a supervisor can correct whether its winner was barred, and the win itself: the
  tiles were sealed, but who declared what was reported by people. Money is mirrored and nothing else.
"""
