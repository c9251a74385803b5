from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PaiKauOptions(_message.Message):
    __slots__ = ("minimum_bet_minor", "maximum_bet_minor")
    MINIMUM_BET_MINOR_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_BET_MINOR_FIELD_NUMBER: _ClassVar[int]
    minimum_bet_minor: int
    maximum_bet_minor: int
    def __init__(self, minimum_bet_minor: _Optional[int] = ..., maximum_bet_minor: _Optional[int] = ...) -> None: ...

class PaiKauFact(_message.Message):
    __slots__ = ("tiles_shuffled", "tiles_carried_over", "gates_announced", "bank_left", "consent_given", "bank_answered", "bank_assigned", "betting_opened", "bet_changed", "stake_posted", "co_bank_posted", "tiles_moved", "head_tiles_put", "dice_shaken", "tiles_dealt", "tile_exposed", "pairs_set", "pairs_not_set", "pairs_opened", "bank_corrected", "held_tiles_corrected")
    TILES_SHUFFLED_FIELD_NUMBER: _ClassVar[int]
    TILES_CARRIED_OVER_FIELD_NUMBER: _ClassVar[int]
    GATES_ANNOUNCED_FIELD_NUMBER: _ClassVar[int]
    BANK_LEFT_FIELD_NUMBER: _ClassVar[int]
    CONSENT_GIVEN_FIELD_NUMBER: _ClassVar[int]
    BANK_ANSWERED_FIELD_NUMBER: _ClassVar[int]
    BANK_ASSIGNED_FIELD_NUMBER: _ClassVar[int]
    BETTING_OPENED_FIELD_NUMBER: _ClassVar[int]
    BET_CHANGED_FIELD_NUMBER: _ClassVar[int]
    STAKE_POSTED_FIELD_NUMBER: _ClassVar[int]
    CO_BANK_POSTED_FIELD_NUMBER: _ClassVar[int]
    TILES_MOVED_FIELD_NUMBER: _ClassVar[int]
    HEAD_TILES_PUT_FIELD_NUMBER: _ClassVar[int]
    DICE_SHAKEN_FIELD_NUMBER: _ClassVar[int]
    TILES_DEALT_FIELD_NUMBER: _ClassVar[int]
    TILE_EXPOSED_FIELD_NUMBER: _ClassVar[int]
    PAIRS_SET_FIELD_NUMBER: _ClassVar[int]
    PAIRS_NOT_SET_FIELD_NUMBER: _ClassVar[int]
    PAIRS_OPENED_FIELD_NUMBER: _ClassVar[int]
    BANK_CORRECTED_FIELD_NUMBER: _ClassVar[int]
    HELD_TILES_CORRECTED_FIELD_NUMBER: _ClassVar[int]
    tiles_shuffled: TilesShuffled
    tiles_carried_over: TilesCarriedOver
    gates_announced: GatesAnnounced
    bank_left: BankLeft
    consent_given: ConsentGiven
    bank_answered: BankAnswered
    bank_assigned: BankAssigned
    betting_opened: BettingOpened
    bet_changed: BetChanged
    stake_posted: StakePosted
    co_bank_posted: CoBankPosted
    tiles_moved: TilesMoved
    head_tiles_put: HeadTilesPut
    dice_shaken: DiceShaken
    tiles_dealt: TilesDealt
    tile_exposed: TileExposed
    pairs_set: PairsSet
    pairs_not_set: PairsNotSet
    pairs_opened: PairsOpened
    bank_corrected: BankCorrected
    held_tiles_corrected: HeldTilesCorrected
    def __init__(self, tiles_shuffled: _Optional[_Union[TilesShuffled, _Mapping]] = ..., tiles_carried_over: _Optional[_Union[TilesCarriedOver, _Mapping]] = ..., gates_announced: _Optional[_Union[GatesAnnounced, _Mapping]] = ..., bank_left: _Optional[_Union[BankLeft, _Mapping]] = ..., consent_given: _Optional[_Union[ConsentGiven, _Mapping]] = ..., bank_answered: _Optional[_Union[BankAnswered, _Mapping]] = ..., bank_assigned: _Optional[_Union[BankAssigned, _Mapping]] = ..., betting_opened: _Optional[_Union[BettingOpened, _Mapping]] = ..., bet_changed: _Optional[_Union[BetChanged, _Mapping]] = ..., stake_posted: _Optional[_Union[StakePosted, _Mapping]] = ..., co_bank_posted: _Optional[_Union[CoBankPosted, _Mapping]] = ..., tiles_moved: _Optional[_Union[TilesMoved, _Mapping]] = ..., head_tiles_put: _Optional[_Union[HeadTilesPut, _Mapping]] = ..., dice_shaken: _Optional[_Union[DiceShaken, _Mapping]] = ..., tiles_dealt: _Optional[_Union[TilesDealt, _Mapping]] = ..., tile_exposed: _Optional[_Union[TileExposed, _Mapping]] = ..., pairs_set: _Optional[_Union[PairsSet, _Mapping]] = ..., pairs_not_set: _Optional[_Union[PairsNotSet, _Mapping]] = ..., pairs_opened: _Optional[_Union[PairsOpened, _Mapping]] = ..., bank_corrected: _Optional[_Union[BankCorrected, _Mapping]] = ..., held_tiles_corrected: _Optional[_Union[HeldTilesCorrected, _Mapping]] = ...) -> None: ...

class TilesShuffled(_message.Message):
    __slots__ = ("new_tiles",)
    NEW_TILES_FIELD_NUMBER: _ClassVar[int]
    new_tiles: bool
    def __init__(self, new_tiles: _Optional[bool] = ...) -> None: ...

class TilesCarriedOver(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GatesAnnounced(_message.Message):
    __slots__ = ("gates",)
    GATES_FIELD_NUMBER: _ClassVar[int]
    gates: int
    def __init__(self, gates: _Optional[int] = ...) -> None: ...

class BankLeft(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class ConsentGiven(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class BankAnswered(_message.Message):
    __slots__ = ("gate", "player_id", "accepts")
    GATE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    ACCEPTS_FIELD_NUMBER: _ClassVar[int]
    gate: int
    player_id: str
    accepts: bool
    def __init__(self, gate: _Optional[int] = ..., player_id: _Optional[str] = ..., accepts: _Optional[bool] = ...) -> None: ...

class BankAssigned(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class BettingOpened(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class BetChanged(_message.Message):
    __slots__ = ("gate", "player_id", "amount_minor")
    GATE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    gate: int
    player_id: str
    amount_minor: int
    def __init__(self, gate: _Optional[int] = ..., player_id: _Optional[str] = ..., amount_minor: _Optional[int] = ...) -> None: ...

class StakePosted(_message.Message):
    __slots__ = ("player_id", "amount_minor")
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    amount_minor: int
    def __init__(self, player_id: _Optional[str] = ..., amount_minor: _Optional[int] = ...) -> None: ...

class CoBankPosted(_message.Message):
    __slots__ = ("co_bank_id", "amount_minor", "house", "gate")
    CO_BANK_ID_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    HOUSE_FIELD_NUMBER: _ClassVar[int]
    GATE_FIELD_NUMBER: _ClassVar[int]
    co_bank_id: str
    amount_minor: int
    house: bool
    gate: int
    def __init__(self, co_bank_id: _Optional[str] = ..., amount_minor: _Optional[int] = ..., house: _Optional[bool] = ..., gate: _Optional[int] = ...) -> None: ...

class TilesMoved(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class HeadTilesPut(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class DiceShaken(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class DealtHand(_message.Message):
    __slots__ = ("gate", "tiles")
    GATE_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    gate: int
    tiles: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, gate: _Optional[int] = ..., tiles: _Optional[_Iterable[str]] = ...) -> None: ...

class TilesDealt(_message.Message):
    __slots__ = ("hands",)
    HANDS_FIELD_NUMBER: _ClassVar[int]
    hands: _containers.RepeatedCompositeFieldContainer[DealtHand]
    def __init__(self, hands: _Optional[_Iterable[_Union[DealtHand, _Mapping]]] = ...) -> None: ...

class TileExposed(_message.Message):
    __slots__ = ("gate",)
    GATE_FIELD_NUMBER: _ClassVar[int]
    gate: int
    def __init__(self, gate: _Optional[int] = ...) -> None: ...

class PairsSet(_message.Message):
    __slots__ = ("gate", "player_id", "front", "back")
    GATE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    FRONT_FIELD_NUMBER: _ClassVar[int]
    BACK_FIELD_NUMBER: _ClassVar[int]
    gate: int
    player_id: str
    front: _containers.RepeatedScalarFieldContainer[str]
    back: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, gate: _Optional[int] = ..., player_id: _Optional[str] = ..., front: _Optional[_Iterable[str]] = ..., back: _Optional[_Iterable[str]] = ...) -> None: ...

class PairsNotSet(_message.Message):
    __slots__ = ("gate",)
    GATE_FIELD_NUMBER: _ClassVar[int]
    gate: int
    def __init__(self, gate: _Optional[int] = ...) -> None: ...

class PairsOpened(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class BankCorrected(_message.Message):
    __slots__ = ("gate", "player_id", "rounds_done", "minimum_stake_minor", "last_gate", "reason", "reference")
    GATE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_DONE_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_STAKE_MINOR_FIELD_NUMBER: _ClassVar[int]
    LAST_GATE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    gate: int
    player_id: str
    rounds_done: int
    minimum_stake_minor: int
    last_gate: int
    reason: str
    reference: str
    def __init__(self, gate: _Optional[int] = ..., player_id: _Optional[str] = ..., rounds_done: _Optional[int] = ..., minimum_stake_minor: _Optional[int] = ..., last_gate: _Optional[int] = ..., reason: _Optional[str] = ..., reference: _Optional[str] = ...) -> None: ...

class HeldTilesCorrected(_message.Message):
    __slots__ = ("used_tiles", "reason", "reference")
    USED_TILES_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    used_tiles: _containers.RepeatedScalarFieldContainer[str]
    reason: str
    reference: str
    def __init__(self, used_tiles: _Optional[_Iterable[str]] = ..., reason: _Optional[str] = ..., reference: _Optional[str] = ...) -> None: ...

class PaiKauCorrection(_message.Message):
    __slots__ = ("hands", "dice")
    HANDS_FIELD_NUMBER: _ClassVar[int]
    DICE_FIELD_NUMBER: _ClassVar[int]
    hands: _containers.RepeatedCompositeFieldContainer[CorrectedHand]
    dice: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, hands: _Optional[_Iterable[_Union[CorrectedHand, _Mapping]]] = ..., dice: _Optional[_Iterable[int]] = ...) -> None: ...

class CorrectedHand(_message.Message):
    __slots__ = ("gate", "tiles", "front", "back")
    GATE_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    FRONT_FIELD_NUMBER: _ClassVar[int]
    BACK_FIELD_NUMBER: _ClassVar[int]
    gate: int
    tiles: _containers.RepeatedScalarFieldContainer[str]
    front: _containers.RepeatedScalarFieldContainer[str]
    back: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, gate: _Optional[int] = ..., tiles: _Optional[_Iterable[str]] = ..., front: _Optional[_Iterable[str]] = ..., back: _Optional[_Iterable[str]] = ...) -> None: ...

class PaiKauShown(_message.Message):
    __slots__ = ("fact", "hand", "holders", "first_gate", "bank", "done", "result")
    FACT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    HOLDERS_FIELD_NUMBER: _ClassVar[int]
    FIRST_GATE_FIELD_NUMBER: _ClassVar[int]
    BANK_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    fact: PaiKauFact
    hand: PaiKauHand
    holders: PaiKauHolders
    first_gate: PaiKauFirstGate
    bank: PaiKauBank
    done: PaiKauDone
    result: PaiKauResult
    def __init__(self, fact: _Optional[_Union[PaiKauFact, _Mapping]] = ..., hand: _Optional[_Union[PaiKauHand, _Mapping]] = ..., holders: _Optional[_Union[PaiKauHolders, _Mapping]] = ..., first_gate: _Optional[_Union[PaiKauFirstGate, _Mapping]] = ..., bank: _Optional[_Union[PaiKauBank, _Mapping]] = ..., done: _Optional[_Union[PaiKauDone, _Mapping]] = ..., result: _Optional[_Union[PaiKauResult, _Mapping]] = ...) -> None: ...

class PaiKauHand(_message.Message):
    __slots__ = ("gate", "tiles", "front", "back")
    GATE_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    FRONT_FIELD_NUMBER: _ClassVar[int]
    BACK_FIELD_NUMBER: _ClassVar[int]
    gate: int
    tiles: _containers.RepeatedScalarFieldContainer[str]
    front: _containers.RepeatedScalarFieldContainer[str]
    back: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, gate: _Optional[int] = ..., tiles: _Optional[_Iterable[str]] = ..., front: _Optional[_Iterable[str]] = ..., back: _Optional[_Iterable[str]] = ...) -> None: ...

class PaiKauHolder(_message.Message):
    __slots__ = ("gate", "player_id")
    GATE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    gate: int
    player_id: str
    def __init__(self, gate: _Optional[int] = ..., player_id: _Optional[str] = ...) -> None: ...

class PaiKauHolders(_message.Message):
    __slots__ = ("holders",)
    HOLDERS_FIELD_NUMBER: _ClassVar[int]
    holders: _containers.RepeatedCompositeFieldContainer[PaiKauHolder]
    def __init__(self, holders: _Optional[_Iterable[_Union[PaiKauHolder, _Mapping]]] = ...) -> None: ...

class PaiKauFirstGate(_message.Message):
    __slots__ = ("gate",)
    GATE_FIELD_NUMBER: _ClassVar[int]
    gate: int
    def __init__(self, gate: _Optional[int] = ...) -> None: ...

class PaiKauBank(_message.Message):
    __slots__ = ("gate", "player_id", "rounds_done", "minimum_stake_minor")
    GATE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_DONE_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_STAKE_MINOR_FIELD_NUMBER: _ClassVar[int]
    gate: int
    player_id: str
    rounds_done: int
    minimum_stake_minor: int
    def __init__(self, gate: _Optional[int] = ..., player_id: _Optional[str] = ..., rounds_done: _Optional[int] = ..., minimum_stake_minor: _Optional[int] = ...) -> None: ...

class PaiKauDone(_message.Message):
    __slots__ = ("gate",)
    GATE_FIELD_NUMBER: _ClassVar[int]
    gate: int
    def __init__(self, gate: _Optional[int] = ...) -> None: ...

class PaiKauResult(_message.Message):
    __slots__ = ("result", "explanation", "round_id")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    result: str
    explanation: _containers.RepeatedScalarFieldContainer[str]
    round_id: str
    def __init__(self, result: _Optional[str] = ..., explanation: _Optional[_Iterable[str]] = ..., round_id: _Optional[str] = ...) -> None: ...

class PaiKauState(_message.Message):
    __slots__ = ("gates", "bank", "last_gate", "opening", "answers", "consents", "consents_missing", "used_tiles", "carried_over", "bets", "stake_minor", "co_banks", "moved_by", "banker_moved", "head_tiles_out", "holders", "void_throws", "dice", "first_gate", "hands", "done", "may_bank", "sealed")
    GATES_FIELD_NUMBER: _ClassVar[int]
    BANK_FIELD_NUMBER: _ClassVar[int]
    LAST_GATE_FIELD_NUMBER: _ClassVar[int]
    OPENING_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    CONSENTS_FIELD_NUMBER: _ClassVar[int]
    CONSENTS_MISSING_FIELD_NUMBER: _ClassVar[int]
    USED_TILES_FIELD_NUMBER: _ClassVar[int]
    CARRIED_OVER_FIELD_NUMBER: _ClassVar[int]
    BETS_FIELD_NUMBER: _ClassVar[int]
    STAKE_MINOR_FIELD_NUMBER: _ClassVar[int]
    CO_BANKS_FIELD_NUMBER: _ClassVar[int]
    MOVED_BY_FIELD_NUMBER: _ClassVar[int]
    BANKER_MOVED_FIELD_NUMBER: _ClassVar[int]
    HEAD_TILES_OUT_FIELD_NUMBER: _ClassVar[int]
    HOLDERS_FIELD_NUMBER: _ClassVar[int]
    VOID_THROWS_FIELD_NUMBER: _ClassVar[int]
    DICE_FIELD_NUMBER: _ClassVar[int]
    FIRST_GATE_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    MAY_BANK_FIELD_NUMBER: _ClassVar[int]
    SEALED_FIELD_NUMBER: _ClassVar[int]
    gates: int
    bank: PaiKauBank
    last_gate: int
    opening: bool
    answers: _containers.RepeatedCompositeFieldContainer[BankAnswered]
    consents: _containers.RepeatedScalarFieldContainer[str]
    consents_missing: _containers.RepeatedScalarFieldContainer[str]
    used_tiles: _containers.RepeatedScalarFieldContainer[str]
    carried_over: bool
    bets: _containers.RepeatedCompositeFieldContainer[BetChanged]
    stake_minor: int
    co_banks: _containers.RepeatedCompositeFieldContainer[CoBankPosted]
    moved_by: _containers.RepeatedScalarFieldContainer[str]
    banker_moved: bool
    head_tiles_out: bool
    holders: PaiKauHolders
    void_throws: int
    dice: _containers.RepeatedScalarFieldContainer[int]
    first_gate: PaiKauFirstGate
    hands: _containers.RepeatedCompositeFieldContainer[PaiKauHand]
    done: _containers.RepeatedScalarFieldContainer[int]
    may_bank: _containers.RepeatedScalarFieldContainer[str]
    sealed: bool
    def __init__(self, gates: _Optional[int] = ..., bank: _Optional[_Union[PaiKauBank, _Mapping]] = ..., last_gate: _Optional[int] = ..., opening: _Optional[bool] = ..., answers: _Optional[_Iterable[_Union[BankAnswered, _Mapping]]] = ..., consents: _Optional[_Iterable[str]] = ..., consents_missing: _Optional[_Iterable[str]] = ..., used_tiles: _Optional[_Iterable[str]] = ..., carried_over: _Optional[bool] = ..., bets: _Optional[_Iterable[_Union[BetChanged, _Mapping]]] = ..., stake_minor: _Optional[int] = ..., co_banks: _Optional[_Iterable[_Union[CoBankPosted, _Mapping]]] = ..., moved_by: _Optional[_Iterable[str]] = ..., banker_moved: _Optional[bool] = ..., head_tiles_out: _Optional[bool] = ..., holders: _Optional[_Union[PaiKauHolders, _Mapping]] = ..., void_throws: _Optional[int] = ..., dice: _Optional[_Iterable[int]] = ..., first_gate: _Optional[_Union[PaiKauFirstGate, _Mapping]] = ..., hands: _Optional[_Iterable[_Union[PaiKauHand, _Mapping]]] = ..., done: _Optional[_Iterable[int]] = ..., may_bank: _Optional[_Iterable[str]] = ..., sealed: _Optional[bool] = ...) -> None: ...
