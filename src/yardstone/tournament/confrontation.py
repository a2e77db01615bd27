"""Direct confrontation as OpenGotha has it: who of a tied group beat whom.

SDC counts the wins inside a group in which everybody beat, or was beaten by, each of
the others. DC orders any group: whoever was beaten stands below the winner, unless
both are on a circle of wins, and among those whom no win holds back the criteria that
follow decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from yardstone.tournament.model import Tournament

__all__ = ["direct_confrontation", "simplified_confrontation", "wins_between"]

Net = Sequence[Mapping[int, int]]


def wins_between(
    tournament: Tournament, group: Sequence[int], round_number: int
) -> list[dict[int, int]]:
    """Wins less losses of each of a group against those of the others met, up to a round."""
    place = {player: n for n, player in enumerate(group)}
    net: list[dict[int, int]] = [{} for _ in group]
    for game in tournament.games:
        if game.round > round_number or game.first not in place or game.second not in place:
            continue
        one, two = place[game.first], place[game.second]
        a, b = game.result.points
        sign = (a > b) - (a < b)
        net[one][two] = net[one].get(two, 0) + sign
        net[two][one] = net[two].get(one, 0) - sign
    return net


def simplified_confrontation(net: Net) -> list[int]:
    """Wins of each inside the group; all 0 unless every two of them are decided."""
    if any(len(row) < len(net) - 1 or 0 in row.values() for row in net):
        return [0] * len(net)
    return [sum(value > 0 for value in row.values()) for row in net]


def direct_confrontation(net: Net, later: Sequence[int]) -> list[int]:
    """Order of a tied group, the best having the largest number.

    Parameters
    ----------
    net : sequence of mappings
        Wins less losses of each player against each other one met.
    later : sequence of int
        Place of each by the criteria that follow, 0 being the best; equal where tied.
    """
    n = len(net)
    beaten = [[j for j, value in row.items() if value > 0] for row in net]
    circle = _circles(beaten)
    members: dict[int, list[int]] = {}
    for i in range(n):
        members.setdefault(circle[i], []).append(i)
    # A circle stands as one: it is above each circle in which one of its players won.
    below = {
        c: {circle[j] for i in inside for j in beaten[i]} - {c} for c, inside in members.items()
    }
    left = set(range(n))
    value = [0] * n
    done = 0
    while left:
        # From below: of those who beat nobody that is left, the worst by later criteria.
        alive = {circle[i] for i in left}
        free = [i for i in left if not below[circle[i]] & alive]
        worst = max(later[i] for i in free)
        last = {i for i in free if later[i] == worst}
        done += len(last) if len(left) < n else 0
        for i in last:
            value[i] = done
        left -= last
    return value


def _circles(beaten: Sequence[Sequence[int]]) -> list[int]:
    """A number for each player, the same for all on a common circle of wins.

    Strongly connected components (Tarjan 1972), without recursion.
    """
    n = len(beaten)
    index, low, circle = [-1] * n, [0] * n, [-1] * n
    stack: list[int] = []
    count = 0
    for root in range(n):
        if index[root] >= 0:
            continue
        work = [(root, 0)]
        while work:
            node, at = work.pop()
            if at == 0:
                index[node] = low[node] = count
                count += 1
                stack.append(node)
            if at < len(beaten[node]):
                work.append((node, at + 1))
                other = beaten[node][at]
                if index[other] < 0:
                    work.append((other, 0))
                continue
            for other in beaten[node]:
                if circle[other] < 0:
                    low[node] = min(low[node], low[other])
            if low[node] == index[node]:
                while True:
                    member = stack.pop()
                    circle[member] = node
                    if member == node:
                        break
    return circle
