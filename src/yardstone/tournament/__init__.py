"""Tournaments: files, pairing, standings, rating changes and simulation.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.tournament.comparison import RoundComparison, compare_rounds
    from yardstone.tournament.constraints import Constraints
    from yardstone.tournament.dutch.checking import RoundCheck, check_rounds
    from yardstone.tournament.dutch.pairing import DutchPairing, pair_dutch
    from yardstone.tournament.dutch.proposal import DutchProposal, propose_dutch
    from yardstone.tournament.explanation import Explanation, explain
    from yardstone.tournament.files import read_tournament, to_bytes
    from yardstone.tournament.forecast import TournamentForecast, simulate
    from yardstone.tournament.generator import RandomPlan, random_tournament
    from yardstone.tournament.last_round import LastRoundNeeds, last_round_needs
    from yardstone.tournament.model import Bye, Game, Player, Tournament
    from yardstone.tournament.pairing import PairedBoard, Pairing, pair_round
    from yardstone.tournament.pairing_rules import PairingRules
    from yardstone.tournament.pools import tournament_pool
    from yardstone.tournament.population import EntryList, synthetic_field
    from yardstone.tournament.proposal import Proposal, propose_round
    from yardstone.tournament.rating_change import RatingChange, rating_changes
    from yardstone.tournament.results import ByeKind, Result, System
    from yardstone.tournament.round_robin import RoundRobin, berger_table, pair_round_robin
    from yardstone.tournament.rules import HandicapRules, Scoring, Team, TeamRules, TimeControl
    from yardstone.tournament.scenario import Scenario, Simulation, simulate_scenarios
    from yardstone.tournament.simulation import SimulationPlan, tournament_of
    from yardstone.tournament.standings_table import Standings, standings
    from yardstone.tournament.team_pairing import team_tournament
    from yardstone.tournament.teams import TeamMatch, TeamStandings, team_standings
    from yardstone.tournament.winning_laws import winning_law

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
        "comparison": ("RoundComparison", "compare_rounds"),
        "constraints": ("Constraints",),
        "dutch.checking": ("RoundCheck", "check_rounds"),
        "dutch.pairing": ("DutchPairing", "pair_dutch"),
        "dutch.proposal": ("DutchProposal", "propose_dutch"),
        "explanation": ("Explanation", "explain"),
        "files": ("read_tournament", "to_bytes"),
        "forecast": ("TournamentForecast", "simulate"),
        "generator": ("RandomPlan", "random_tournament"),
        "last_round": ("LastRoundNeeds", "last_round_needs"),
        "model": ("Bye", "Game", "Player", "Tournament"),
        "pairing": ("PairedBoard", "Pairing", "pair_round"),
        "pairing_rules": ("PairingRules",),
        "pools": ("tournament_pool",),
        "population": ("EntryList", "synthetic_field"),
        "proposal": ("Proposal", "propose_round"),
        "rating_change": ("RatingChange", "rating_changes"),
        "results": ("ByeKind", "Result", "System"),
        "round_robin": ("RoundRobin", "berger_table", "pair_round_robin"),
        "rules": ("HandicapRules", "Scoring", "Team", "TeamRules", "TimeControl"),
        "scenario": ("Scenario", "Simulation", "simulate_scenarios"),
        "simulation": ("SimulationPlan", "tournament_of"),
        "standings_table": ("Standings", "standings"),
        "team_pairing": ("team_tournament",),
        "teams": ("TeamMatch", "TeamStandings", "team_standings"),
        "winning_laws": ("winning_law",),
    },
)
