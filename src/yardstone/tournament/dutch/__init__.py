"""FIDE's Dutch system (Handbook C.04.3, as applied from 2026), by its rules.

The criteria are exact: no weights, no search that gives up. See
`yardstone.tournament.dutch.pairing.pair_dutch`.
"""
