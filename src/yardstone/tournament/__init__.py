"""Tournaments: files, pairing, standings, rating changes and simulation.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.tournament.dutch import (
        DutchPairing,
        DutchProposal,
        RoundCheck,
        check_rounds,
        pair_dutch,
        propose_dutch,
    )
    from yardstone.tournament.explanation import (
        Explanation,
        Proposal,
        RoundComparison,
        compare_rounds,
        explain,
        propose_round,
    )
    from yardstone.tournament.field import EntryList, synthetic_field, winning_law
    from yardstone.tournament.files import read_tournament, to_bytes, tournament_pool
    from yardstone.tournament.forecast import (
        Scenario,
        Simulation,
        TournamentForecast,
        simulate,
        simulate_scenarios,
    )
    from yardstone.tournament.last_round import LastRoundNeeds, last_round_needs
    from yardstone.tournament.model import (
        Bye,
        ByeKind,
        Game,
        PairingRules,
        Player,
        Result,
        System,
        Tournament,
    )
    from yardstone.tournament.pairing import Constraints, PairedBoard, Pairing, pair_round
    from yardstone.tournament.rating_change import RatingChange, rating_changes
    from yardstone.tournament.round_robin import RoundRobin, berger_table, pair_round_robin
    from yardstone.tournament.rules import HandicapRules, Scoring, Team, TeamRules, TimeControl
    from yardstone.tournament.simulation import (
        RandomPlan,
        SimulationPlan,
        random_tournament,
        tournament_of,
    )
    from yardstone.tournament.standings_table import Standings, standings
    from yardstone.tournament.teams import TeamMatch, TeamStandings, team_standings, team_tournament

__all__ = [
    "Bye",
    "ByeKind",
    "Constraints",
    "DutchPairing",
    "DutchProposal",
    "EntryList",
    "Explanation",
    "Game",
    "HandicapRules",
    "LastRoundNeeds",
    "PairedBoard",
    "Pairing",
    "PairingRules",
    "Player",
    "Proposal",
    "RandomPlan",
    "RatingChange",
    "Result",
    "RoundCheck",
    "RoundComparison",
    "RoundRobin",
    "Scenario",
    "Scoring",
    "Simulation",
    "SimulationPlan",
    "Standings",
    "System",
    "Team",
    "TeamMatch",
    "TeamRules",
    "TeamStandings",
    "TimeControl",
    "Tournament",
    "TournamentForecast",
    "berger_table",
    "check_rounds",
    "compare_rounds",
    "explain",
    "last_round_needs",
    "pair_dutch",
    "pair_round",
    "pair_round_robin",
    "propose_dutch",
    "propose_round",
    "random_tournament",
    "rating_changes",
    "read_tournament",
    "simulate",
    "simulate_scenarios",
    "standings",
    "synthetic_field",
    "team_standings",
    "team_tournament",
    "to_bytes",
    "tournament_of",
    "tournament_pool",
    "winning_law",
]

__getattr__ = lazy_names(
    __name__,
    {
        "explanation": (
            "RoundComparison",
            "compare_rounds",
            "Explanation",
            "explain",
            "Proposal",
            "propose_round",
        ),
        "pairing": ("Constraints", "PairedBoard", "Pairing", "pair_round"),
        "dutch": (
            *("DutchPairing", "pair_dutch", "DutchProposal", "propose_dutch"),
            *("RoundCheck", "check_rounds"),
        ),
        "files": ("read_tournament", "to_bytes", "tournament_pool"),
        "forecast": (
            "TournamentForecast",
            "simulate",
            "Scenario",
            "Simulation",
            "simulate_scenarios",
        ),
        "simulation": ("RandomPlan", "random_tournament", "SimulationPlan", "tournament_of"),
        "last_round": ("LastRoundNeeds", "last_round_needs"),
        "model": (
            "Bye",
            "Game",
            "Player",
            "Tournament",
            "PairingRules",
            "ByeKind",
            "Result",
            "System",
        ),
        "field": ("EntryList", "synthetic_field", "winning_law"),
        "rating_change": ("RatingChange", "rating_changes"),
        "round_robin": ("RoundRobin", "berger_table", "pair_round_robin"),
        "rules": ("HandicapRules", "Scoring", "Team", "TeamRules", "TimeControl"),
        "standings_table": ("Standings", "standings"),
        "teams": ("team_tournament", "TeamMatch", "TeamStandings", "team_standings"),
    },
)
