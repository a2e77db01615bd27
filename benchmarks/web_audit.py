"""What became of the jobs, by the database's own account and by what the visitors saw."""

from __future__ import annotations

from dataclasses import dataclass

import psycopg

from benchmarks.web_visitors import Outcome

__all__ = ["Account", "Audit", "account"]


@dataclass(frozen=True, slots=True)
class Account:
    """Jobs of a load, by what became of them.

    Attributes:
        sent, begun: Jobs that visitors sent, and how often one was begun.
        lost: Those without a result, and those whose result is wrong or not the same from all
            servers.
        doubled: Results written or counted, and jobs made, beyond one for each list.
    """

    sent: int
    begun: int
    lost: int
    doubled: int


def account(outcome: Outcome, audit: Audit) -> Account:
    """Compare what the visitors saw with what the database noted."""
    jobs = {sent.job for sent in outcome.jobs.values()}
    done = audit.became("done")
    made = audit.made()
    wrong = {outcome.jobs[name].job for name in outcome.different} | (jobs - done.keys())
    counted = int(audit.counted("jobs_results_done"))
    return Account(
        sent=len(outcome.jobs),
        begun=sum(audit.became("running").values()),
        lost=len(wrong) + len(outcome.wrong),
        doubled=sum(done.values())
        - len(done)
        + abs(counted - len(done))
        + len(made - jobs)
        + len(outcome.jobs)
        - len(jobs),
    )


class Audit:
    """The database's own account of what happened to the jobs, kept by triggers.

    What a job became is written down in the transaction that changed it, so that nothing the
    servers and workers count themselves is believed.

    Args:
        url: The database, with its tables.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        with psycopg.connect(url, autocommit=True) as line:
            line.execute(_AUDIT)

    def forget(self) -> None:
        """Begin anew, with the jobs of from now on."""
        with psycopg.connect(self._url, autocommit=True) as line:
            line.execute("TRUNCATE audit.changes")
            line.execute("DELETE FROM yardstone.counters")

    def became(self, status: str) -> dict[str, int]:
        """How often each job came to have a status."""
        query = "SELECT job, count(*) FROM audit.changes WHERE status = %s GROUP BY job"
        with psycopg.connect(self._url, autocommit=True) as line:
            return dict(line.execute(query, (status,)).fetchall())

    def made(self) -> set[str]:
        """All jobs that there ever were."""
        query = "SELECT DISTINCT job FROM audit.changes"
        with psycopg.connect(self._url, autocommit=True) as line:
            return {str(row[0]) for row in line.execute(query)}

    def counted(self, name: str) -> float:
        """The value of one of the server's own counters."""
        query = "SELECT coalesce(sum(value), 0) FROM yardstone.counters WHERE name = %s"
        with psycopg.connect(self._url, autocommit=True) as line:
            row = line.execute(query, (name,)).fetchone()
        return float(row[0]) if row else 0.0


_AUDIT = """
CREATE SCHEMA audit;
CREATE TABLE audit.changes (job text, status text, at timestamptz DEFAULT clock_timestamp());
CREATE FUNCTION audit.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit.changes (job, status) VALUES (NEW.id, NEW.status);
    RETURN NEW;
END $$;
CREATE TRIGGER made AFTER INSERT ON yardstone.jobs FOR EACH ROW EXECUTE FUNCTION audit.note();
CREATE TRIGGER changed AFTER UPDATE ON yardstone.jobs FOR EACH ROW
    WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.result IS DISTINCT FROM NEW.result)
    EXECUTE FUNCTION audit.note();
"""
