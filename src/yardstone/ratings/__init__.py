"""From results to strengths."""

from yardstone.ratings.bradley_terry import BradleyTerry
from yardstone.ratings.priors import Prior, Relation
from yardstone.ratings.result import Estimate, JointRatings, Ratings, Status

__all__ = ["BradleyTerry", "Estimate", "JointRatings", "Prior", "Ratings", "Relation", "Status"]
