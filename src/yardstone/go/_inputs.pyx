"""The planes of one position, and all positions of a game in one call.

See `yardstone.go.inputs` for what they mean.
"""

from libc.math cimport floor
from libc.string cimport memcpy

import numpy as np

from yardstone.go._board cimport (
    BLACK,
    EMPTY,
    PASS,
    POINTS,
    WHITE,
    Key,
    Position,
    Stones,
    can_be_played,
    chain_at,
    find_area,
    find_area_without_seki,
    is_suicide,
    may_play,
)
from yardstone.go._ladders cimport LadderReader, Marks

from yardstone.go.points import PLAYER_KEYS

#: Tell the keys of positions by who is to move, and those before a pass from all others.
cdef Key[3] TO_PLAY = PLAYER_KEYS
cdef Key[3] PASSING = [0, 0x3C6EF372FE94F82BULL, 0xA54FF53A5F1D36F1ULL]


cdef class Past:
    """The past of a game under some rules: repetitions, passes, handicap and the button.

    Args:
        rules: As of `yardstone.go.rules`.
        moves: Of how many there must be room for.
        black, white: Numbers of stones set up.
        position: The position that was set up.
        to_play: Whose turn it is.
    """

    cdef bint superko, positional, suicide, area_scoring, friendly_pass
    cdef bint tax, group_tax
    cdef int handicap_from  # stones from which White gets points, -1: none
    cdef int moves  # so far
    cdef int since  # the first move whose position still counts for repetitions
    cdef int passes  # in a row
    cdef bint over
    cdef int turns  # moves that may be shown as the last ones
    cdef bint button  # whether it is still there
    cdef int bonus  # points that White has besides the komi, doubled
    cdef int handicap  # points that White has for handicap stones
    cdef int black_set_up  # black stones (-1: there are white ones as well)
    cdef int black_moved  # moves of Black before White's first
    cdef bint white_moved
    cdef int white_waited  # passes of White in a row before that
    cdef Key[::1] keys  # a table of positions
    cdef int[::1] latest  # the last move that led to each of them, or -1 for a free slot
    cdef int[::1] former  # for each move the one that led to the same position before, or -1

    def __init__(self, rules, int moves, int black, int white, Position position, int to_play):
        self.superko, self.positional = rules.ko != "simple", rules.ko == "positional"
        self.suicide, self.area_scoring = rules.suicide, rules.scoring == "area"
        self.tax, self.group_tax = rules.tax != "none", rules.tax == "all"
        self.friendly_pass = rules.friendly_pass
        self.handicap_from = {"0": -1, "n-1": 1, "n": 0}[rules.white_handicap_bonus]
        self.button = rules.button
        self.bonus = 0 if self.area_scoring else 2 * (black - white)
        self.black_set_up = black if white == 0 else -1
        self.set_handicap()
        room = 1 << (4 * (moves + 2)).bit_length()
        self.keys = np.zeros(room, np.uint64)
        self.latest = np.full(room, -1, np.int32)
        self.former = np.full(moves + 2, -1, np.int32)
        self.remember(self.repetition_key(position.key_of[0], to_play), 0)

    cdef Py_ssize_t slot(self, Key key) noexcept nogil:
        """Where a key stands in the table, or would stand."""
        cdef Key last = self.keys.shape[0] - 1, slot = key & last
        while self.latest[slot] >= 0 and self.keys[slot] != key:
            slot = (slot + 1) & last
        return slot

    cdef int remember(self, Key key, int move) noexcept nogil:
        """Enter a position; returns the last move that led to it before, or -1."""
        cdef Py_ssize_t slot = self.slot(key)
        cdef int former = self.latest[slot]
        self.keys[slot], self.latest[slot] = key, move
        return former

    cdef Key repetition_key(self, Key key, int to_play) noexcept nogil:
        """The key that must not come again: with the player to move, or without."""
        return key if self.positional else key ^ TO_PLAY[to_play]

    cdef Key pass_key(self, Key key, int colour) noexcept nogil:
        """The key of a position in which a player passes."""
        return key ^ TO_PLAY[colour] ^ PASSING[colour]

    cdef bint is_banned(self, Position position, int point, int colour) noexcept nogil:
        """Whether superko forbids a move that is possible otherwise."""
        if not self.superko:
            return False
        cdef Key after = position.key_of_next(point, colour)
        after = self.repetition_key(after, BLACK + WHITE - colour)
        return self.latest[self.slot(after)] >= self.since

    cdef (bint, bint) pass_ends_game(self, Key key, int colour) noexcept nogil:
        """Whether a pass would end the game, and whether by being the second in a row only."""
        cdef bint again = False
        if not self.superko:
            again = self.latest[self.slot(self.pass_key(key, colour))] >= 0
        return self.passes >= 1 or again, self.passes == 1 and not again

    cdef void record(self, int point, int colour, Key before, Key after) noexcept nogil:
        """Enter a move that has been played, or a pass; keys are those of the bare positions."""
        cdef int times = 0, earlier
        cdef bint over = False
        if self.over:
            self.turns = min(self.turns, 1)
        self.moves += 1
        self.turns += 1
        if point != PASS:
            self.passes = 0
            if not self.area_scoring:
                self.bonus += 2 if colour == BLACK else -2
        elif self.button:
            self.button = False
            self.bonus += 1 if colour == WHITE else -1
            self.passes = 0
            self.since = self.moves
        else:
            if not self.superko:
                self.since = self.moves
                over = self.remember(self.pass_key(before, colour), self.moves) >= 0
            self.passes += 1
            over = over or self.passes >= 2
            if over and not self.area_scoring:
                self.turns = min(self.turns, 1)
        after = self.repetition_key(after, BLACK + WHITE - colour)
        self.former[self.moves] = self.remember(after, self.moves)
        if not self.superko and point != PASS:
            earlier = self.moves
            while earlier >= self.since and times < 3:
                times += 1
                earlier = self.former[earlier]
            over = times >= 3
        self.over = over
        self.count_handicap(point, colour)

    cdef void count_handicap(self, int point, int colour) noexcept nogil:
        """Moves of Black before White's first count as handicap stones."""
        if colour == WHITE:
            if point != PASS:
                self.white_moved = True
            elif not self.white_moved:
                self.white_waited += 1
        elif not self.white_moved:
            if self.white_waited < 2:
                self.white_waited = 0
            if point != PASS:
                self.black_moved += 1
            self.set_handicap()

    cdef void set_handicap(self) noexcept nogil:
        cdef int stones = self.black_set_up
        if stones >= 0 and self.white_waited < 2:  # after two passes Black alone sets something up
            stones += self.black_moved
        self.handicap = 0
        if stones >= 2 and self.handicap_from >= 0:
            self.handicap = stones - self.handicap_from


cdef enum:  # the planes
    ON_BOARD, OWN, ENEMY, ONE_LIBERTY
    BANNED = 6
    LAST_MOVES = 9
    LADDERS = 14
    CATCHING = 17
    AREA

cdef enum:  # the global inputs
    PASSES
    KOMI = 5
    SUPERKO, SUPERKO_KIND, MAY_SUICIDE, TERRITORY, TAX, GROUP_TAX
    PASS_ENDS = 14
    BUTTON_LEFT = 17
    PARITY

cdef enum:
    SHOWN = 5  # moves
    KOMI_MARGIN = 20  # points by which a komi may exceed the board


cdef class Encoder:
    """Plays a game and writes the inputs of its positions.

    Args:
        position: The position that was set up; afterwards the last one.
        past: As it is before the first move.
        game: Moves, their colours, who is to move after the last one, the komi, and the rows, which
            have for the position before each move and after the last the place of its inputs, or
            -1.
    """

    cdef Position position
    cdef Past past
    cdef LadderReader ladders
    cdef const int[::1] moves, colours, rows
    cdef int to_play
    cdef float komi
    cdef unsigned char[:, :, ::1] planes
    cdef float[:, ::1] inputs
    cdef unsigned char[:, ::1] legal
    cdef unsigned char[::1] breaches
    cdef Marks[3] marks  # after the last three moves, by their number modulo three

    def __init__(self, Position position, Past past, game):
        self.position, self.past, self.ladders = position, past, LadderReader(position)
        self.moves, self.colours, self.to_play, self.komi, self.rows = game

    def encode(self, outputs):
        """Fill in the outputs; returns the first move that cannot be played, or -1."""
        self.planes, self.inputs, self.legal, self.breaches = outputs
        cdef int illegal_at
        with nogil:
            illegal_at = self.play_game()
        return illegal_at

    cdef int play_game(self) noexcept nogil:
        cdef Stones* board = &self.position.stones
        cdef int played, later, colour, ko, total = self.moves.shape[0]
        cdef bint known, needed
        for played in range(total + 1):
            colour = self.colours[played] if played < total else self.to_play
            # Whoever moves twice in a row is shown a position without a past.
            known = played == 0 or self.colours[played - 1] != colour
            ko = board.ko
            if not known:
                board.ko = -1
            needed = False
            for later in range(played, min(played + 3, total + 1)):
                needed = needed or self.rows[later] >= 0
            if needed:
                self.ladders.find(&self.marks[played % 3])
            if self.rows[played] >= 0:
                self.put(played, colour, known)
            board.ko = ko
            if played < total and not self.play(played, colour, known):
                return played
        return -1

    cdef bint play(self, int played, int colour, bint known) noexcept nogil:
        """Play the next move; whether it can be played."""
        cdef Stones* board = &self.position.stones
        cdef int point = self.moves[played]
        cdef Key before = self.position.key_of[0]
        if not can_be_played(board, point, colour):
            return False
        if point != PASS:
            if not self.past.suicide and is_suicide(board, point, colour):
                self.breaches[played] = True
            if known and (board.ko == point or self.past.is_banned(self.position, point, colour)):
                self.breaches[played] = True
        self.position.play_move(point, colour)
        self.past.record(point, colour, before, self.position.key_of[0])
        return True

    cdef void put(self, int played, int colour, bint known) noexcept nogil:
        """Write the inputs of a position; `known`: its past counts."""
        cdef int row = self.rows[played], most = 0
        cdef bint ends, by_second, hidden
        ends, by_second = self.past.pass_ends_game(self.position.key_of[0], colour)
        hidden = ends and by_second and self.past.friendly_pass and self.past.area_scoring
        if known and not hidden:
            most = min(1 if self.past.over else SHOWN, self.past.turns)
        self.put_stones(row, colour)
        self.put_legal(row, colour, known)
        self.put_ladders(row, colour, played, self.put_last_moves(row, colour, played, most))
        if self.past.area_scoring:
            self.put_area(row, colour)
        self.put_rules(row, colour)
        if known and ends and not hidden:
            self.inputs[row, PASS_ENDS] = 1.0

    cdef void put_stones(self, int row, int to_play) noexcept nogil:
        cdef const Stones* board = &self.position.stones
        cdef int point, liberties
        for point in range(board.area):
            self.planes[row, ON_BOARD, point] = True
            if board.colour[point] != EMPTY:
                self.planes[row, OWN if board.colour[point] == to_play else ENEMY, point] = True
                liberties = chain_at(board, point).liberties
                if liberties <= 3:
                    self.planes[row, ONE_LIBERTY + liberties - 1, point] = True

    cdef void put_legal(self, int row, int to_play, bint known) noexcept nogil:
        """Moves that are possible, and those that a ko forbids."""
        cdef const Stones* board = &self.position.stones
        cdef int point
        self.legal[row, board.area] = True
        if board.ko >= 0:
            self.planes[row, BANNED, board.ko] = True
        for point in range(board.area):
            if may_play(board, point, to_play, self.past.suicide):
                if known and self.past.is_banned(self.position, point, to_play):
                    self.planes[row, BANNED, point] = True
                else:
                    self.legal[row, point] = True

    cdef int put_last_moves(self, int row, int to_play, int played, int most) noexcept nogil:
        """Show the last moves as long as the players alternate; returns how many."""
        cdef int shown, point, colour = to_play
        for shown in range(most):
            colour = BLACK + WHITE - colour
            if self.colours[played - 1 - shown] != colour:
                return shown
            point = self.moves[played - 1 - shown]
            if point == PASS:
                self.inputs[row, PASSES + shown] = 1.0
            else:
                self.planes[row, LAST_MOVES + shown, point] = True
        return most

    cdef void put_ladders(self, int row, int to_play, int played, int shown) noexcept nogil:
        cdef int ago, then, area = self.position.stones.area
        for ago in range(3):
            then = (played - min(ago, shown)) % 3
            memcpy(&self.planes[row, LADDERS + ago, 0], self.marks[then].caught, area)
        memcpy(
            &self.planes[row, CATCHING, 0],
            self.marks[played % 3].catching[BLACK + WHITE - to_play],
            area,
        )

    cdef void put_area(self, int row, int to_play) noexcept nogil:
        """Show who owns what."""
        cdef const Stones* board = &self.position.stones
        cdef unsigned char[POINTS] owner, untaxed
        cdef unsigned char* shown = owner
        cdef int point
        find_area(board, self.past.suicide, True, owner)
        if self.past.tax:
            find_area_without_seki(board, owner, True, False, untaxed)
            shown = untaxed
        for point in range(board.area):
            if shown[point] != EMPTY:
                self.planes[row, AREA if shown[point] == to_play else AREA + 1, point] = True

    cdef void put_rules(self, int row, int to_play) noexcept nogil:
        """Komi from the view of the player to move, the rules, and the parity of the komi."""
        cdef int area = self.position.stones.area
        cdef float* inputs = &self.inputs[row, 0]
        cdef float white = <float>self.past.bonus * <float>0.5 + self.past.handicap + self.komi
        cdef float own = white if to_play == WHITE else -white
        cdef float most = area + KOMI_MARGIN, odd = area % 2, above
        own = min(max(own, -most), most)
        inputs[KOMI] = own / <float>20.0
        if self.past.superko:
            inputs[SUPERKO] = 1.0
            inputs[SUPERKO_KIND] = 0.5 if self.past.positional else -0.5
        inputs[MAY_SUICIDE] = self.past.suicide
        inputs[TAX] = self.past.tax
        inputs[GROUP_TAX] = self.past.group_tax
        inputs[BUTTON_LEFT] = self.past.button
        if not self.past.area_scoring:
            inputs[TERRITORY] = 1.0
            return
        # Komis that allow a draw have the parity of the board. The wave rises by a point
        # around each of them and falls by a point around those that allow none.
        above = own - (<float>floor((own - odd) / <float>2.0) * <float>2.0 + odd)
        above = min(max(above, <float>0.0), <float>2.0)
        if above < 0.5:
            inputs[PARITY] = above
        elif above < 1.5:
            inputs[PARITY] = <float>1.0 - above
        else:
            inputs[PARITY] = above - <float>2.0


def replay_moves(
    Position position, const int[::1] moves, const int[::1] colours,
    signed char[:, ::1] boards, Key[:, ::1] keys,
):
    """Write each position and its keys; returns the first move that cannot be played, or -1."""
    cdef int played, total = moves.shape[0], illegal_at = -1
    with nogil:
        for played in range(total + 1):
            memcpy(&boards[played, 0], position.stones.colour, position.stones.area)
            memcpy(&keys[played, 0], position.key_of, sizeof(position.key_of))
            if played == total:
                break
            if not can_be_played(&position.stones, moves[played], colours[played]):
                illegal_at = played
                break
            position.play_move(moves[played], colours[played])
    return illegal_at
