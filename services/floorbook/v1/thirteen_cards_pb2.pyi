from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ThirteenCardsOptions(_message.Message):
    __slots__ = ("banker_gate", "minimum_unit_minor", "maximum_unit_minor")
    BANKER_GATE_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_UNIT_MINOR_FIELD_NUMBER: _ClassVar[int]
    MAXIMUM_UNIT_MINOR_FIELD_NUMBER: _ClassVar[int]
    banker_gate: int
    minimum_unit_minor: int
    maximum_unit_minor: int
    def __init__(self, banker_gate: _Optional[int] = ..., minimum_unit_minor: _Optional[int] = ..., maximum_unit_minor: _Optional[int] = ...) -> None: ...

class ThirteenCardsFact(_message.Message):
    __slots__ = ("place_taken", "place_left", "pack_shuffled", "pack_cut", "pack_boxed", "bet_placed", "bet_withdrawn", "bet_moved", "shake_started", "pack_dealt", "card_exposed", "misdeal_reported", "banker_arranged", "banker_opened", "hand_taken", "hand_set", "unit_set", "deal_started", "hand_not_set")
    PLACE_TAKEN_FIELD_NUMBER: _ClassVar[int]
    PLACE_LEFT_FIELD_NUMBER: _ClassVar[int]
    PACK_SHUFFLED_FIELD_NUMBER: _ClassVar[int]
    PACK_CUT_FIELD_NUMBER: _ClassVar[int]
    PACK_BOXED_FIELD_NUMBER: _ClassVar[int]
    BET_PLACED_FIELD_NUMBER: _ClassVar[int]
    BET_WITHDRAWN_FIELD_NUMBER: _ClassVar[int]
    BET_MOVED_FIELD_NUMBER: _ClassVar[int]
    SHAKE_STARTED_FIELD_NUMBER: _ClassVar[int]
    PACK_DEALT_FIELD_NUMBER: _ClassVar[int]
    CARD_EXPOSED_FIELD_NUMBER: _ClassVar[int]
    MISDEAL_REPORTED_FIELD_NUMBER: _ClassVar[int]
    BANKER_ARRANGED_FIELD_NUMBER: _ClassVar[int]
    BANKER_OPENED_FIELD_NUMBER: _ClassVar[int]
    HAND_TAKEN_FIELD_NUMBER: _ClassVar[int]
    HAND_SET_FIELD_NUMBER: _ClassVar[int]
    UNIT_SET_FIELD_NUMBER: _ClassVar[int]
    DEAL_STARTED_FIELD_NUMBER: _ClassVar[int]
    HAND_NOT_SET_FIELD_NUMBER: _ClassVar[int]
    place_taken: PlaceTaken
    place_left: PlaceLeft
    pack_shuffled: PackShuffled
    pack_cut: PackCut
    pack_boxed: PackBoxed
    bet_placed: BetPlaced
    bet_withdrawn: BetWithdrawn
    bet_moved: BetMoved
    shake_started: ShakeStarted
    pack_dealt: PackDealt
    card_exposed: CardExposed
    misdeal_reported: MisdealReported
    banker_arranged: BankerArranged
    banker_opened: BankerOpened
    hand_taken: HandTaken
    hand_set: HandSet
    unit_set: UnitSet
    deal_started: DealStarted
    hand_not_set: HandNotSet
    def __init__(self, place_taken: _Optional[_Union[PlaceTaken, _Mapping]] = ..., place_left: _Optional[_Union[PlaceLeft, _Mapping]] = ..., pack_shuffled: _Optional[_Union[PackShuffled, _Mapping]] = ..., pack_cut: _Optional[_Union[PackCut, _Mapping]] = ..., pack_boxed: _Optional[_Union[PackBoxed, _Mapping]] = ..., bet_placed: _Optional[_Union[BetPlaced, _Mapping]] = ..., bet_withdrawn: _Optional[_Union[BetWithdrawn, _Mapping]] = ..., bet_moved: _Optional[_Union[BetMoved, _Mapping]] = ..., shake_started: _Optional[_Union[ShakeStarted, _Mapping]] = ..., pack_dealt: _Optional[_Union[PackDealt, _Mapping]] = ..., card_exposed: _Optional[_Union[CardExposed, _Mapping]] = ..., misdeal_reported: _Optional[_Union[MisdealReported, _Mapping]] = ..., banker_arranged: _Optional[_Union[BankerArranged, _Mapping]] = ..., banker_opened: _Optional[_Union[BankerOpened, _Mapping]] = ..., hand_taken: _Optional[_Union[HandTaken, _Mapping]] = ..., hand_set: _Optional[_Union[HandSet, _Mapping]] = ..., unit_set: _Optional[_Union[UnitSet, _Mapping]] = ..., deal_started: _Optional[_Union[DealStarted, _Mapping]] = ..., hand_not_set: _Optional[_Union[HandNotSet, _Mapping]] = ...) -> None: ...

class PlaceTaken(_message.Message):
    __slots__ = ("player_id", "gate")
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    GATE_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    gate: int
    def __init__(self, player_id: _Optional[str] = ..., gate: _Optional[int] = ...) -> None: ...

class PlaceLeft(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class PackShuffled(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class PackCut(_message.Message):
    __slots__ = ("player_id", "depth")
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    depth: int
    def __init__(self, player_id: _Optional[str] = ..., depth: _Optional[int] = ...) -> None: ...

class PackBoxed(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class BetPlaced(_message.Message):
    __slots__ = ("bet_id", "player_id", "gate", "unit_minor", "units", "stake_minor")
    BET_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    GATE_FIELD_NUMBER: _ClassVar[int]
    UNIT_MINOR_FIELD_NUMBER: _ClassVar[int]
    UNITS_FIELD_NUMBER: _ClassVar[int]
    STAKE_MINOR_FIELD_NUMBER: _ClassVar[int]
    bet_id: str
    player_id: str
    gate: int
    unit_minor: int
    units: int
    stake_minor: int
    def __init__(self, bet_id: _Optional[str] = ..., player_id: _Optional[str] = ..., gate: _Optional[int] = ..., unit_minor: _Optional[int] = ..., units: _Optional[int] = ..., stake_minor: _Optional[int] = ...) -> None: ...

class BetWithdrawn(_message.Message):
    __slots__ = ("bet_id", "player_id")
    BET_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    bet_id: str
    player_id: str
    def __init__(self, bet_id: _Optional[str] = ..., player_id: _Optional[str] = ...) -> None: ...

class BetMoved(_message.Message):
    __slots__ = ("bet_id", "player_id", "gate")
    BET_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    GATE_FIELD_NUMBER: _ClassVar[int]
    bet_id: str
    player_id: str
    gate: int
    def __init__(self, bet_id: _Optional[str] = ..., player_id: _Optional[str] = ..., gate: _Optional[int] = ...) -> None: ...

class ShakeStarted(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class DealtCard(_message.Message):
    __slots__ = ("card", "gate")
    CARD_FIELD_NUMBER: _ClassVar[int]
    GATE_FIELD_NUMBER: _ClassVar[int]
    card: str
    gate: int
    def __init__(self, card: _Optional[str] = ..., gate: _Optional[int] = ...) -> None: ...

class PackDealt(_message.Message):
    __slots__ = ("dealt",)
    DEALT_FIELD_NUMBER: _ClassVar[int]
    dealt: _containers.RepeatedCompositeFieldContainer[DealtCard]
    def __init__(self, dealt: _Optional[_Iterable[_Union[DealtCard, _Mapping]]] = ...) -> None: ...

class CardExposed(_message.Message):
    __slots__ = ("gate",)
    GATE_FIELD_NUMBER: _ClassVar[int]
    gate: int
    def __init__(self, gate: _Optional[int] = ...) -> None: ...

class MisdealReported(_message.Message):
    __slots__ = ("dealt", "recoverable")
    DEALT_FIELD_NUMBER: _ClassVar[int]
    RECOVERABLE_FIELD_NUMBER: _ClassVar[int]
    dealt: _containers.RepeatedCompositeFieldContainer[DealtCard]
    recoverable: bool
    def __init__(self, dealt: _Optional[_Iterable[_Union[DealtCard, _Mapping]]] = ..., recoverable: _Optional[bool] = ...) -> None: ...

class Arrangement(_message.Message):
    __slots__ = ("front", "middle", "back")
    FRONT_FIELD_NUMBER: _ClassVar[int]
    MIDDLE_FIELD_NUMBER: _ClassVar[int]
    BACK_FIELD_NUMBER: _ClassVar[int]
    front: _containers.RepeatedScalarFieldContainer[str]
    middle: _containers.RepeatedScalarFieldContainer[str]
    back: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, front: _Optional[_Iterable[str]] = ..., middle: _Optional[_Iterable[str]] = ..., back: _Optional[_Iterable[str]] = ...) -> None: ...

class BankerArranged(_message.Message):
    __slots__ = ("arrangement",)
    ARRANGEMENT_FIELD_NUMBER: _ClassVar[int]
    arrangement: Arrangement
    def __init__(self, arrangement: _Optional[_Union[Arrangement, _Mapping]] = ...) -> None: ...

class BankerOpened(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class HandTaken(_message.Message):
    __slots__ = ("gate", "player_id")
    GATE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    gate: int
    player_id: str
    def __init__(self, gate: _Optional[int] = ..., player_id: _Optional[str] = ...) -> None: ...

class HandSet(_message.Message):
    __slots__ = ("gate", "player_id", "arrangement", "declare")
    GATE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    ARRANGEMENT_FIELD_NUMBER: _ClassVar[int]
    DECLARE_FIELD_NUMBER: _ClassVar[int]
    gate: int
    player_id: str
    arrangement: Arrangement
    declare: bool
    def __init__(self, gate: _Optional[int] = ..., player_id: _Optional[str] = ..., arrangement: _Optional[_Union[Arrangement, _Mapping]] = ..., declare: _Optional[bool] = ...) -> None: ...

class UnitSet(_message.Message):
    __slots__ = ("unit_minor",)
    UNIT_MINOR_FIELD_NUMBER: _ClassVar[int]
    unit_minor: int
    def __init__(self, unit_minor: _Optional[int] = ...) -> None: ...

class DealStarted(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class HandNotSet(_message.Message):
    __slots__ = ("gate",)
    GATE_FIELD_NUMBER: _ClassVar[int]
    gate: int
    def __init__(self, gate: _Optional[int] = ...) -> None: ...

class ThirteenCardsCorrection(_message.Message):
    __slots__ = ("gates",)
    GATES_FIELD_NUMBER: _ClassVar[int]
    gates: _containers.RepeatedCompositeFieldContainer[CorrectedGate]
    def __init__(self, gates: _Optional[_Iterable[_Union[CorrectedGate, _Mapping]]] = ...) -> None: ...

class CorrectedGate(_message.Message):
    __slots__ = ("gate", "arrangement", "declare")
    GATE_FIELD_NUMBER: _ClassVar[int]
    ARRANGEMENT_FIELD_NUMBER: _ClassVar[int]
    DECLARE_FIELD_NUMBER: _ClassVar[int]
    gate: int
    arrangement: Arrangement
    declare: bool
    def __init__(self, gate: _Optional[int] = ..., arrangement: _Optional[_Union[Arrangement, _Mapping]] = ..., declare: _Optional[bool] = ...) -> None: ...

class ThirteenCardsShown(_message.Message):
    __slots__ = ("fact", "hand", "holders", "first_gate", "round", "gate_set")
    FACT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    HOLDERS_FIELD_NUMBER: _ClassVar[int]
    FIRST_GATE_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    GATE_SET_FIELD_NUMBER: _ClassVar[int]
    fact: ThirteenCardsFact
    hand: HandShown
    holders: HoldersShown
    first_gate: FirstGateShown
    round: RoundShown
    gate_set: GateSet
    def __init__(self, fact: _Optional[_Union[ThirteenCardsFact, _Mapping]] = ..., hand: _Optional[_Union[HandShown, _Mapping]] = ..., holders: _Optional[_Union[HoldersShown, _Mapping]] = ..., first_gate: _Optional[_Union[FirstGateShown, _Mapping]] = ..., round: _Optional[_Union[RoundShown, _Mapping]] = ..., gate_set: _Optional[_Union[GateSet, _Mapping]] = ...) -> None: ...

class HandShown(_message.Message):
    __slots__ = ("gate", "cards", "arrangement")
    GATE_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    ARRANGEMENT_FIELD_NUMBER: _ClassVar[int]
    gate: int
    cards: _containers.RepeatedScalarFieldContainer[str]
    arrangement: Arrangement
    def __init__(self, gate: _Optional[int] = ..., cards: _Optional[_Iterable[str]] = ..., arrangement: _Optional[_Union[Arrangement, _Mapping]] = ...) -> None: ...

class HoldersShown(_message.Message):
    __slots__ = ("holders", "dice_shaker")
    HOLDERS_FIELD_NUMBER: _ClassVar[int]
    DICE_SHAKER_FIELD_NUMBER: _ClassVar[int]
    holders: _containers.RepeatedCompositeFieldContainer[GateHolder]
    dice_shaker: str
    def __init__(self, holders: _Optional[_Iterable[_Union[GateHolder, _Mapping]]] = ..., dice_shaker: _Optional[str] = ...) -> None: ...

class GateHolder(_message.Message):
    __slots__ = ("gate", "player_id")
    GATE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    gate: int
    player_id: str
    def __init__(self, gate: _Optional[int] = ..., player_id: _Optional[str] = ...) -> None: ...

class FirstGateShown(_message.Message):
    __slots__ = ("gate",)
    GATE_FIELD_NUMBER: _ClassVar[int]
    gate: int
    def __init__(self, gate: _Optional[int] = ...) -> None: ...

class GateSet(_message.Message):
    __slots__ = ("gate",)
    GATE_FIELD_NUMBER: _ClassVar[int]
    gate: int
    def __init__(self, gate: _Optional[int] = ...) -> None: ...

class RoundShown(_message.Message):
    __slots__ = ("result", "explanation", "round_id")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    result: str
    explanation: _containers.RepeatedScalarFieldContainer[str]
    round_id: str
    def __init__(self, result: _Optional[str] = ..., explanation: _Optional[_Iterable[str]] = ..., round_id: _Optional[str] = ...) -> None: ...

class ThirteenCardsState(_message.Message):
    __slots__ = ("banker_gate", "places", "bets", "holders", "dice", "first_gate", "hands", "taken", "set", "arrange_until_ms", "seats", "unit_minor")
    BANKER_GATE_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    BETS_FIELD_NUMBER: _ClassVar[int]
    HOLDERS_FIELD_NUMBER: _ClassVar[int]
    DICE_FIELD_NUMBER: _ClassVar[int]
    FIRST_GATE_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    SET_FIELD_NUMBER: _ClassVar[int]
    ARRANGE_UNTIL_MS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    UNIT_MINOR_FIELD_NUMBER: _ClassVar[int]
    banker_gate: int
    places: _containers.RepeatedScalarFieldContainer[str]
    bets: _containers.RepeatedCompositeFieldContainer[BetPlaced]
    holders: HoldersShown
    dice: _containers.RepeatedScalarFieldContainer[int]
    first_gate: FirstGateShown
    hands: _containers.RepeatedCompositeFieldContainer[HandShown]
    taken: _containers.RepeatedScalarFieldContainer[int]
    set: _containers.RepeatedScalarFieldContainer[int]
    arrange_until_ms: int
    seats: _containers.RepeatedCompositeFieldContainer[GateHolder]
    unit_minor: int
    def __init__(self, banker_gate: _Optional[int] = ..., places: _Optional[_Iterable[str]] = ..., bets: _Optional[_Iterable[_Union[BetPlaced, _Mapping]]] = ..., holders: _Optional[_Union[HoldersShown, _Mapping]] = ..., dice: _Optional[_Iterable[int]] = ..., first_gate: _Optional[_Union[FirstGateShown, _Mapping]] = ..., hands: _Optional[_Iterable[_Union[HandShown, _Mapping]]] = ..., taken: _Optional[_Iterable[int]] = ..., set: _Optional[_Iterable[int]] = ..., arrange_until_ms: _Optional[int] = ..., seats: _Optional[_Iterable[_Union[GateHolder, _Mapping]]] = ..., unit_minor: _Optional[int] = ...) -> None: ...
