"""Taiwan Pai Kau on the wire: its facts, and what is shown of its rounds."""

from types import MappingProxyType

from floorbook.table.events import Fact
from floorbook.table.pai_kau import facts
from floorbook.table.pai_kau.shown import PaiKauShown
from floorbook.wire.game import GameWire

FACTS: MappingProxyType[str, type[Fact]] = MappingProxyType(
    {
        "tiles_shuffled": facts.TilesShuffled,
        "tiles_carried_over": facts.TilesCarriedOver,
        "gates_announced": facts.GatesAnnounced,
        "bank_left": facts.BankLeft,
        "consent_given": facts.ConsentGiven,
        "bank_answered": facts.BankAnswered,
        "bank_assigned": facts.BankAssigned,
        "betting_opened": facts.BettingOpened,
        "bet_changed": facts.BetChanged,
        "stake_posted": facts.StakePosted,
        "co_bank_posted": facts.CoBankPosted,
        "tiles_moved": facts.TilesMoved,
        "head_tiles_put": facts.HeadTilesPut,
        "dice_shaken": facts.DiceShaken,
        "tiles_dealt": facts.TilesDealt,
        "tile_exposed": facts.TileExposed,
        "pairs_set": facts.PairsSet,
        "pairs_not_set": facts.PairsNotSet,
        "pairs_opened": facts.PairsOpened,
        "bank_corrected": facts.BankCorrected,
        "held_tiles_corrected": facts.HeldTilesCorrected,
    }
)
WIRE = GameWire("pai_kau", FACTS, PaiKauShown, schemas=MappingProxyType({}))
