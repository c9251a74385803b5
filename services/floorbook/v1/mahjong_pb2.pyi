from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TileClaim(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TILE_CLAIM_UNSPECIFIED: _ClassVar[TileClaim]
    TILE_CLAIM_PASS: _ClassVar[TileClaim]
    TILE_CLAIM_CHOW: _ClassVar[TileClaim]
    TILE_CLAIM_PONG: _ClassVar[TileClaim]
    TILE_CLAIM_KONG: _ClassVar[TileClaim]
    TILE_CLAIM_WIN: _ClassVar[TileClaim]

class MahjongEnd(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MAHJONG_END_UNSPECIFIED: _ClassVar[MahjongEnd]
    MAHJONG_END_DEAL: _ClassVar[MahjongEnd]
    MAHJONG_END_FRONT: _ClassVar[MahjongEnd]
    MAHJONG_END_TAIL: _ClassVar[MahjongEnd]
TILE_CLAIM_UNSPECIFIED: TileClaim
TILE_CLAIM_PASS: TileClaim
TILE_CLAIM_CHOW: TileClaim
TILE_CLAIM_PONG: TileClaim
TILE_CLAIM_KONG: TileClaim
TILE_CLAIM_WIN: TileClaim
MAHJONG_END_UNSPECIFIED: MahjongEnd
MAHJONG_END_DEAL: MahjongEnd
MAHJONG_END_FRONT: MahjongEnd
MAHJONG_END_TAIL: MahjongEnd

class MahjongOptions(_message.Message):
    __slots__ = ("claim_limit_ms", "minimum_chips_minor", "charge_minor", "charge_percent")
    CLAIM_LIMIT_MS_FIELD_NUMBER: _ClassVar[int]
    MINIMUM_CHIPS_MINOR_FIELD_NUMBER: _ClassVar[int]
    CHARGE_MINOR_FIELD_NUMBER: _ClassVar[int]
    CHARGE_PERCENT_FIELD_NUMBER: _ClassVar[int]
    claim_limit_ms: int
    minimum_chips_minor: int
    charge_minor: int
    charge_percent: int
    def __init__(self, claim_limit_ms: _Optional[int] = ..., minimum_chips_minor: _Optional[int] = ..., charge_minor: _Optional[int] = ..., charge_percent: _Optional[int] = ...) -> None: ...

class MahjongCorrection(_message.Message):
    __slots__ = ("barred", "win")
    BARRED_FIELD_NUMBER: _ClassVar[int]
    WIN_FIELD_NUMBER: _ClassVar[int]
    barred: bool
    win: MahjongWin
    def __init__(self, barred: _Optional[bool] = ..., win: _Optional[_Union[MahjongWin, _Mapping]] = ...) -> None: ...

class MahjongWin(_message.Message):
    __slots__ = ("seat", "concealed", "sets", "win_tile", "kind", "source", "kong_chain", "last_tile", "heavenly", "earthly", "discarder_concealed", "discarder_sets", "visible", "visible_known", "turns_since_fourth_set")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CONCEALED_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    WIN_TILE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    KONG_CHAIN_FIELD_NUMBER: _ClassVar[int]
    LAST_TILE_FIELD_NUMBER: _ClassVar[int]
    HEAVENLY_FIELD_NUMBER: _ClassVar[int]
    EARTHLY_FIELD_NUMBER: _ClassVar[int]
    DISCARDER_CONCEALED_FIELD_NUMBER: _ClassVar[int]
    DISCARDER_SETS_FIELD_NUMBER: _ClassVar[int]
    VISIBLE_FIELD_NUMBER: _ClassVar[int]
    VISIBLE_KNOWN_FIELD_NUMBER: _ClassVar[int]
    TURNS_SINCE_FOURTH_SET_FIELD_NUMBER: _ClassVar[int]
    seat: str
    concealed: _containers.RepeatedScalarFieldContainer[str]
    sets: _containers.RepeatedCompositeFieldContainer[MahjongSet]
    win_tile: str
    kind: str
    source: str
    kong_chain: int
    last_tile: bool
    heavenly: bool
    earthly: bool
    discarder_concealed: _containers.RepeatedScalarFieldContainer[str]
    discarder_sets: _containers.RepeatedCompositeFieldContainer[MahjongSet]
    visible: _containers.RepeatedScalarFieldContainer[str]
    visible_known: bool
    turns_since_fourth_set: int
    def __init__(self, seat: _Optional[str] = ..., concealed: _Optional[_Iterable[str]] = ..., sets: _Optional[_Iterable[_Union[MahjongSet, _Mapping]]] = ..., win_tile: _Optional[str] = ..., kind: _Optional[str] = ..., source: _Optional[str] = ..., kong_chain: _Optional[int] = ..., last_tile: _Optional[bool] = ..., heavenly: _Optional[bool] = ..., earthly: _Optional[bool] = ..., discarder_concealed: _Optional[_Iterable[str]] = ..., discarder_sets: _Optional[_Iterable[_Union[MahjongSet, _Mapping]]] = ..., visible: _Optional[_Iterable[str]] = ..., visible_known: _Optional[bool] = ..., turns_since_fourth_set: _Optional[int] = ...) -> None: ...

class MahjongFact(_message.Message):
    __slots__ = ("seat_taken", "seat_left", "chips_added", "chips_taken", "dealer_named", "tile_discarded", "concealed_kong_declared", "added_kong_declared", "win_declared", "tile_claimed", "pong_withdrawn", "hand_looked_at", "player_barred")
    SEAT_TAKEN_FIELD_NUMBER: _ClassVar[int]
    SEAT_LEFT_FIELD_NUMBER: _ClassVar[int]
    CHIPS_ADDED_FIELD_NUMBER: _ClassVar[int]
    CHIPS_TAKEN_FIELD_NUMBER: _ClassVar[int]
    DEALER_NAMED_FIELD_NUMBER: _ClassVar[int]
    TILE_DISCARDED_FIELD_NUMBER: _ClassVar[int]
    CONCEALED_KONG_DECLARED_FIELD_NUMBER: _ClassVar[int]
    ADDED_KONG_DECLARED_FIELD_NUMBER: _ClassVar[int]
    WIN_DECLARED_FIELD_NUMBER: _ClassVar[int]
    TILE_CLAIMED_FIELD_NUMBER: _ClassVar[int]
    PONG_WITHDRAWN_FIELD_NUMBER: _ClassVar[int]
    HAND_LOOKED_AT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_BARRED_FIELD_NUMBER: _ClassVar[int]
    seat_taken: SeatTaken
    seat_left: SeatLeft
    chips_added: ChipsAdded
    chips_taken: ChipsTaken
    dealer_named: DealerNamed
    tile_discarded: TileDiscarded
    concealed_kong_declared: ConcealedKongDeclared
    added_kong_declared: AddedKongDeclared
    win_declared: WinDeclared
    tile_claimed: TileClaimed
    pong_withdrawn: PongWithdrawn
    hand_looked_at: HandLookedAt
    player_barred: PlayerBarred
    def __init__(self, seat_taken: _Optional[_Union[SeatTaken, _Mapping]] = ..., seat_left: _Optional[_Union[SeatLeft, _Mapping]] = ..., chips_added: _Optional[_Union[ChipsAdded, _Mapping]] = ..., chips_taken: _Optional[_Union[ChipsTaken, _Mapping]] = ..., dealer_named: _Optional[_Union[DealerNamed, _Mapping]] = ..., tile_discarded: _Optional[_Union[TileDiscarded, _Mapping]] = ..., concealed_kong_declared: _Optional[_Union[ConcealedKongDeclared, _Mapping]] = ..., added_kong_declared: _Optional[_Union[AddedKongDeclared, _Mapping]] = ..., win_declared: _Optional[_Union[WinDeclared, _Mapping]] = ..., tile_claimed: _Optional[_Union[TileClaimed, _Mapping]] = ..., pong_withdrawn: _Optional[_Union[PongWithdrawn, _Mapping]] = ..., hand_looked_at: _Optional[_Union[HandLookedAt, _Mapping]] = ..., player_barred: _Optional[_Union[PlayerBarred, _Mapping]] = ...) -> None: ...

class SeatTaken(_message.Message):
    __slots__ = ("player_id", "place")
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    place: int
    def __init__(self, player_id: _Optional[str] = ..., place: _Optional[int] = ...) -> None: ...

class SeatLeft(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class ChipsAdded(_message.Message):
    __slots__ = ("player_id", "amount_minor")
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    amount_minor: int
    def __init__(self, player_id: _Optional[str] = ..., amount_minor: _Optional[int] = ...) -> None: ...

class ChipsTaken(_message.Message):
    __slots__ = ("player_id", "amount_minor")
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    amount_minor: int
    def __init__(self, player_id: _Optional[str] = ..., amount_minor: _Optional[int] = ...) -> None: ...

class DealerNamed(_message.Message):
    __slots__ = ("place", "round_wind", "hand_in_round")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    ROUND_WIND_FIELD_NUMBER: _ClassVar[int]
    HAND_IN_ROUND_FIELD_NUMBER: _ClassVar[int]
    place: int
    round_wind: str
    hand_in_round: int
    def __init__(self, place: _Optional[int] = ..., round_wind: _Optional[str] = ..., hand_in_round: _Optional[int] = ...) -> None: ...

class TileDiscarded(_message.Message):
    __slots__ = ("player_id", "tile")
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    tile: str
    def __init__(self, player_id: _Optional[str] = ..., tile: _Optional[str] = ...) -> None: ...

class ConcealedKongDeclared(_message.Message):
    __slots__ = ("player_id", "tile")
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    tile: str
    def __init__(self, player_id: _Optional[str] = ..., tile: _Optional[str] = ...) -> None: ...

class AddedKongDeclared(_message.Message):
    __slots__ = ("player_id", "tile")
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    tile: str
    def __init__(self, player_id: _Optional[str] = ..., tile: _Optional[str] = ...) -> None: ...

class WinDeclared(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class TileClaimed(_message.Message):
    __slots__ = ("claim", "player_id", "tiles")
    CLAIM_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    claim: TileClaim
    player_id: str
    tiles: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, claim: _Optional[_Union[TileClaim, str]] = ..., player_id: _Optional[str] = ..., tiles: _Optional[_Iterable[str]] = ...) -> None: ...

class PongWithdrawn(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class HandLookedAt(_message.Message):
    __slots__ = ("player_id",)
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    def __init__(self, player_id: _Optional[str] = ...) -> None: ...

class PlayerBarred(_message.Message):
    __slots__ = ("player_id", "reason", "reference")
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    player_id: str
    reason: str
    reference: str
    def __init__(self, player_id: _Optional[str] = ..., reason: _Optional[str] = ..., reference: _Optional[str] = ...) -> None: ...

class MahjongShown(_message.Message):
    __slots__ = ("fact", "begun", "broken", "taken", "own_tiles", "window", "rejected", "hand", "result")
    FACT_FIELD_NUMBER: _ClassVar[int]
    BEGUN_FIELD_NUMBER: _ClassVar[int]
    BROKEN_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    OWN_TILES_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    fact: MahjongFact
    begun: MahjongHandBegun
    broken: MahjongBreak
    taken: MahjongTaken
    own_tiles: MahjongOwnTiles
    window: MahjongWindow
    rejected: MahjongRejected
    hand: MahjongHand
    result: MahjongResult
    def __init__(self, fact: _Optional[_Union[MahjongFact, _Mapping]] = ..., begun: _Optional[_Union[MahjongHandBegun, _Mapping]] = ..., broken: _Optional[_Union[MahjongBreak, _Mapping]] = ..., taken: _Optional[_Union[MahjongTaken, _Mapping]] = ..., own_tiles: _Optional[_Union[MahjongOwnTiles, _Mapping]] = ..., window: _Optional[_Union[MahjongWindow, _Mapping]] = ..., rejected: _Optional[_Union[MahjongRejected, _Mapping]] = ..., hand: _Optional[_Union[MahjongHand, _Mapping]] = ..., result: _Optional[_Union[MahjongResult, _Mapping]] = ...) -> None: ...

class MahjongSeat(_message.Message):
    __slots__ = ("seat", "player_id", "chips_minor")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    CHIPS_MINOR_FIELD_NUMBER: _ClassVar[int]
    seat: str
    player_id: str
    chips_minor: int
    def __init__(self, seat: _Optional[str] = ..., player_id: _Optional[str] = ..., chips_minor: _Optional[int] = ...) -> None: ...

class MahjongHandBegun(_message.Message):
    __slots__ = ("seats", "round_wind", "hand_in_round")
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ROUND_WIND_FIELD_NUMBER: _ClassVar[int]
    HAND_IN_ROUND_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedCompositeFieldContainer[MahjongSeat]
    round_wind: str
    hand_in_round: int
    def __init__(self, seats: _Optional[_Iterable[_Union[MahjongSeat, _Mapping]]] = ..., round_wind: _Optional[str] = ..., hand_in_round: _Optional[int] = ...) -> None: ...

class MahjongBreak(_message.Message):
    __slots__ = ("total", "side", "first", "tail")
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    SIDE_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    TAIL_FIELD_NUMBER: _ClassVar[int]
    total: int
    side: str
    first: str
    tail: str
    def __init__(self, total: _Optional[int] = ..., side: _Optional[str] = ..., first: _Optional[str] = ..., tail: _Optional[str] = ...) -> None: ...

class MahjongTaken(_message.Message):
    __slots__ = ("seat", "end", "tiles", "wall_remaining")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    WALL_REMAINING_FIELD_NUMBER: _ClassVar[int]
    seat: str
    end: MahjongEnd
    tiles: int
    wall_remaining: int
    def __init__(self, seat: _Optional[str] = ..., end: _Optional[_Union[MahjongEnd, str]] = ..., tiles: _Optional[int] = ..., wall_remaining: _Optional[int] = ...) -> None: ...

class MahjongOwnTiles(_message.Message):
    __slots__ = ("seat", "tiles")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    seat: str
    tiles: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, seat: _Optional[str] = ..., tiles: _Optional[_Iterable[str]] = ...) -> None: ...

class MahjongWindow(_message.Message):
    __slots__ = ("outcome", "seat", "tiles", "win_claims")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    WIN_CLAIMS_FIELD_NUMBER: _ClassVar[int]
    outcome: str
    seat: str
    tiles: _containers.RepeatedScalarFieldContainer[str]
    win_claims: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, outcome: _Optional[str] = ..., seat: _Optional[str] = ..., tiles: _Optional[_Iterable[str]] = ..., win_claims: _Optional[_Iterable[str]] = ...) -> None: ...

class MahjongRejected(_message.Message):
    __slots__ = ("seat", "claim", "reason", "rules")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CLAIM_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    seat: str
    claim: TileClaim
    reason: str
    rules: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, seat: _Optional[str] = ..., claim: _Optional[_Union[TileClaim, str]] = ..., reason: _Optional[str] = ..., rules: _Optional[_Iterable[str]] = ...) -> None: ...

class MahjongSet(_message.Message):
    __slots__ = ("kind", "tiles", "open", "source", "added")
    KIND_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    OPEN_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    ADDED_FIELD_NUMBER: _ClassVar[int]
    kind: str
    tiles: _containers.RepeatedScalarFieldContainer[str]
    open: bool
    source: str
    added: bool
    def __init__(self, kind: _Optional[str] = ..., tiles: _Optional[_Iterable[str]] = ..., open: _Optional[bool] = ..., source: _Optional[str] = ..., added: _Optional[bool] = ...) -> None: ...

class MahjongHand(_message.Message):
    __slots__ = ("seat", "concealed", "sets")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CONCEALED_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    seat: str
    concealed: _containers.RepeatedScalarFieldContainer[str]
    sets: _containers.RepeatedCompositeFieldContainer[MahjongSet]
    def __init__(self, seat: _Optional[str] = ..., concealed: _Optional[_Iterable[str]] = ..., sets: _Optional[_Iterable[_Union[MahjongSet, _Mapping]]] = ...) -> None: ...

class MahjongResult(_message.Message):
    __slots__ = ("result", "explanation", "round_id")
    RESULT_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    result: str
    explanation: _containers.RepeatedScalarFieldContainer[str]
    round_id: str
    def __init__(self, result: _Optional[str] = ..., explanation: _Optional[_Iterable[str]] = ..., round_id: _Optional[str] = ...) -> None: ...

class MahjongPlace(_message.Message):
    __slots__ = ("place", "player_id", "chips_minor")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    CHIPS_MINOR_FIELD_NUMBER: _ClassVar[int]
    place: int
    player_id: str
    chips_minor: int
    def __init__(self, place: _Optional[int] = ..., player_id: _Optional[str] = ..., chips_minor: _Optional[int] = ...) -> None: ...

class MahjongSeatView(_message.Message):
    __slots__ = ("seat", "player_id", "concealed", "sets", "discards", "barred", "no_kong")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    CONCEALED_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    DISCARDS_FIELD_NUMBER: _ClassVar[int]
    BARRED_FIELD_NUMBER: _ClassVar[int]
    NO_KONG_FIELD_NUMBER: _ClassVar[int]
    seat: str
    player_id: str
    concealed: int
    sets: _containers.RepeatedCompositeFieldContainer[MahjongSet]
    discards: _containers.RepeatedScalarFieldContainer[str]
    barred: bool
    no_kong: bool
    def __init__(self, seat: _Optional[str] = ..., player_id: _Optional[str] = ..., concealed: _Optional[int] = ..., sets: _Optional[_Iterable[_Union[MahjongSet, _Mapping]]] = ..., discards: _Optional[_Iterable[str]] = ..., barred: _Optional[bool] = ..., no_kong: _Optional[bool] = ...) -> None: ...

class MahjongOffer(_message.Message):
    __slots__ = ("seat", "tile", "added_kong")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TILE_FIELD_NUMBER: _ClassVar[int]
    ADDED_KONG_FIELD_NUMBER: _ClassVar[int]
    seat: str
    tile: str
    added_kong: bool
    def __init__(self, seat: _Optional[str] = ..., tile: _Optional[str] = ..., added_kong: _Optional[bool] = ...) -> None: ...

class MahjongState(_message.Message):
    __slots__ = ("places", "dealer_place", "round_wind", "hand_in_round", "dice", "broken", "wall_remaining", "turn", "seats", "offer", "hands", "drawn", "answer", "claims_until_ms")
    PLACES_FIELD_NUMBER: _ClassVar[int]
    DEALER_PLACE_FIELD_NUMBER: _ClassVar[int]
    ROUND_WIND_FIELD_NUMBER: _ClassVar[int]
    HAND_IN_ROUND_FIELD_NUMBER: _ClassVar[int]
    DICE_FIELD_NUMBER: _ClassVar[int]
    BROKEN_FIELD_NUMBER: _ClassVar[int]
    WALL_REMAINING_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    OFFER_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    CLAIMS_UNTIL_MS_FIELD_NUMBER: _ClassVar[int]
    places: _containers.RepeatedCompositeFieldContainer[MahjongPlace]
    dealer_place: int
    round_wind: str
    hand_in_round: int
    dice: _containers.RepeatedScalarFieldContainer[int]
    broken: MahjongBreak
    wall_remaining: int
    turn: str
    seats: _containers.RepeatedCompositeFieldContainer[MahjongSeatView]
    offer: MahjongOffer
    hands: _containers.RepeatedCompositeFieldContainer[MahjongHand]
    drawn: str
    answer: TileClaim
    claims_until_ms: int
    def __init__(self, places: _Optional[_Iterable[_Union[MahjongPlace, _Mapping]]] = ..., dealer_place: _Optional[int] = ..., round_wind: _Optional[str] = ..., hand_in_round: _Optional[int] = ..., dice: _Optional[_Iterable[int]] = ..., broken: _Optional[_Union[MahjongBreak, _Mapping]] = ..., wall_remaining: _Optional[int] = ..., turn: _Optional[str] = ..., seats: _Optional[_Iterable[_Union[MahjongSeatView, _Mapping]]] = ..., offer: _Optional[_Union[MahjongOffer, _Mapping]] = ..., hands: _Optional[_Iterable[_Union[MahjongHand, _Mapping]]] = ..., drawn: _Optional[str] = ..., answer: _Optional[_Union[TileClaim, str]] = ..., claims_until_ms: _Optional[int] = ...) -> None: ...
