"""Simulated tournaments of tests are small: starting processes takes longer than playing them."""

from tests.tournament.conftest import one_process as one_process
