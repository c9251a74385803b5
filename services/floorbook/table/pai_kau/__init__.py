"""Taiwan Pai Kau (臺灣牌九) at the table: section 5 of its rules, each step an event.

Where the rules leave it to the house, a table of ours does this:

- A croupier may report at his terminal whatever a player does at his table (bets, answers,
  stakes, laid pairs), because not everybody has a terminal; a player reports for himself alone.
  Whoever is named as the one who laid the banker's hand is only noted: anybody may help (A3.3).
- The house's co-banks are posted by the croupier or a supervisor, everybody else's like bets.
- A bank is vacated before its table is closed (`BANK_TAKEN`): only a table opened anew is opening.
- The banker is shown his tiles when his turn to set has come and not before, so that nobody can be
  told of them while players still set. A gate without bets is shown to nobody until it is opened.
- One root of a tile machine serves both rounds of a four-gate deal, since each half is opened by
  itself (5.2). Whoever moves a tile by hand ends its binding force, for both rounds.
- The last 200 people who have bet or banked may bank (PK-53); whoever was forgotten bets again.
- A supervisor may say at rest who banks and for how much, or which tiles are held over: after a
  correction, which mirrors money only, or when people have gone.
"""
