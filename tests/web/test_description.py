"""The interface keeps to its own description, whatever it is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.web.serving import small_results
from tests.web.sites import Site, serving


def validate(server: Site, case: Any) -> None:
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    # That sound data are taken cannot be asked for: no description says what stands in a file.
    wanted = [
        not_a_server_error, checks.status_code_conformance, checks.content_type_conformance,
        checks.response_headers_conformance, checks.response_schema_conformance,
        checks.negative_data_rejection, checks.unsupported_method,
    ]  # fmt: skip
    case.call_and_validate(base_url=server.url, checks=wanted, timeout=60.0)


def test_described(tmp_path: Path) -> None:
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis.core.result import Ok

    limited = settings(
        max_examples=3, phases=[Phase.generate], database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    with serving(tmp_path, {"queue": 100_000, "queue_client": 100_000}) as server:
        schema = schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")
        found = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
        assert len(found) >= 18
        for operation in found:
            for mode in schemathesis.GenerationMode:
                if mode.is_negative and not (operation.path_parameters or operation.body):
                    continue
                server.worker.live()  # a server is well as long as it has been heard of
                cases = operation.as_strategy(generation_mode=mode)
                limited(given(cases)(lambda case: validate(server, case)))()
        # Of jobs that are there.
        done, waiting = (server.send([("r.csv", small_results())]).json()["id"] for _ in range(2))
        server.ask(f"/api/jobs/{waiting}/cancel", "POST")
        server.worker.work()
        asked = "GET GET/result.json GET/result.csv GET/events POST/cancel POST/retry DELETE"
        for address in (waiting, done):
            for method, slash, rest in (each.partition("/") for each in asked.split()):
                operation = schema[f"/api/jobs/{{id}}{slash}{rest}"][method]
                validate(server, operation.Case(path_parameters={"id": address}))
