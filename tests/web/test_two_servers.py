"""Two servers that share nothing but a database: visitors may ask either."""

from __future__ import annotations

from pathlib import Path

import requests

from tests.web.serving import LEAGUE, serving, small_results

HTML = {"Accept": "text/html"}


def test_visitors_may_ask_either(tmp_path: Path, postgres_url: str) -> None:
    with (
        serving(tmp_path / "machine1", database=postgres_url) as first,
        serving(tmp_path / "machine2", database=postgres_url) as second,
    ):
        second.keys = first.keys  # whoever sent to one asks the other as the owner too
        job = first.job(first.accepted([("league.csv", LEAGUE)]))
        with second.get(f"{job['url']}/events", stream=True) as stream:
            lines = stream.iter_lines()
            assert next(lines) == b"event: state"
            assert b'"status":"queued"' in next(lines)
            assert second.worker.work(), "the second machine's worker finds it"
            rest = b"\n".join(lines)
        assert (b'"status":"done"' in rest, b"event: end" in rest) == (True, True)
        for path in (job["url"], job["url"] + "/result.json", job["page"]):
            told = [each.get(path, headers=HTML).text.replace(each.url, "")
                    for each in (first, second)]  # fmt: skip
            assert told[0] == told[1]
        assert "112 games" in told[0]
        assert requests.delete(second.url + job["url"], timeout=60).status_code == 403
        assert second.request("DELETE", job["url"]).status_code == 204
        assert first.get(job["url"]).status_code == 404
        files = [path for path in first.settings.data.rglob("*") if path.is_file()]
        assert files == [], "nothing stays in the folder of a server"
        # What one server stops a worker elsewhere gives up.
        address = first.accepted([("r.csv", small_results())])
        taken = first.worker.store.claim("elsewhere")
        assert taken is not None
        assert second.request("POST", f"/api/jobs/{address}/cancel").status_code == 200
        assert not first.worker.store.heartbeat(taken)
