"""Tournaments: files, pairing, standings, rating changes and simulation.

Names are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yardstone.facade import lazy_names

if TYPE_CHECKING:
    from yardstone.tournament.dutch import DutchPairing as DutchPairing
    from yardstone.tournament.dutch import DutchProposal as DutchProposal
    from yardstone.tournament.dutch import RoundCheck as RoundCheck
    from yardstone.tournament.dutch import check_rounds as check_rounds
    from yardstone.tournament.dutch import pair_dutch as pair_dutch
    from yardstone.tournament.dutch import propose_dutch as propose_dutch
    from yardstone.tournament.explanation import Explanation as Explanation
    from yardstone.tournament.explanation import Proposal as Proposal
    from yardstone.tournament.explanation import RoundComparison as RoundComparison
    from yardstone.tournament.explanation import compare_rounds as compare_rounds
    from yardstone.tournament.explanation import explain as explain
    from yardstone.tournament.explanation import propose_round as propose_round
    from yardstone.tournament.field import EntryList as EntryList
    from yardstone.tournament.field import synthetic_field as synthetic_field
    from yardstone.tournament.field import winning_law as winning_law
    from yardstone.tournament.files import read_tournament as read_tournament
    from yardstone.tournament.files import to_bytes as to_bytes
    from yardstone.tournament.files import tournament_pool as tournament_pool
    from yardstone.tournament.forecast import Scenario as Scenario
    from yardstone.tournament.forecast import Simulation as Simulation
    from yardstone.tournament.forecast import TournamentForecast as TournamentForecast
    from yardstone.tournament.forecast import simulate as simulate
    from yardstone.tournament.forecast import simulate_scenarios as simulate_scenarios
    from yardstone.tournament.last_round import LastRoundNeeds as LastRoundNeeds
    from yardstone.tournament.last_round import last_round_needs as last_round_needs
    from yardstone.tournament.model import Bye as Bye
    from yardstone.tournament.model import ByeKind as ByeKind
    from yardstone.tournament.model import Game as Game
    from yardstone.tournament.model import PairingRules as PairingRules
    from yardstone.tournament.model import Player as Player
    from yardstone.tournament.model import Result as Result
    from yardstone.tournament.model import System as System
    from yardstone.tournament.model import Tournament as Tournament
    from yardstone.tournament.pairing import Constraints as Constraints
    from yardstone.tournament.pairing import PairedBoard as PairedBoard
    from yardstone.tournament.pairing import Pairing as Pairing
    from yardstone.tournament.pairing import pair_round as pair_round
    from yardstone.tournament.rating_change import RatingChange as RatingChange
    from yardstone.tournament.rating_change import rating_changes as rating_changes
    from yardstone.tournament.round_robin import RoundRobin as RoundRobin
    from yardstone.tournament.round_robin import berger_table as berger_table
    from yardstone.tournament.round_robin import pair_round_robin as pair_round_robin
    from yardstone.tournament.rules import HandicapRules as HandicapRules
    from yardstone.tournament.rules import Scoring as Scoring
    from yardstone.tournament.rules import Team as Team
    from yardstone.tournament.rules import TeamRules as TeamRules
    from yardstone.tournament.rules import TimeControl as TimeControl
    from yardstone.tournament.simulation import RandomPlan as RandomPlan
    from yardstone.tournament.simulation import SimulationPlan as SimulationPlan
    from yardstone.tournament.simulation import random_tournament as random_tournament
    from yardstone.tournament.simulation import tournament_of as tournament_of
    from yardstone.tournament.standings_table import Standings as Standings
    from yardstone.tournament.standings_table import standings as standings
    from yardstone.tournament.teams import TeamMatch as TeamMatch
    from yardstone.tournament.teams import TeamStandings as TeamStandings
    from yardstone.tournament.teams import team_standings as team_standings
    from yardstone.tournament.teams import team_tournament as team_tournament


__dir__, __getattr__ = lazy_names(__name__)
