"""The interface keeps to its own description, whatever it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.web.serving import Server, serving, small_results

#: Requests to each operation, sound and unsound.
EXAMPLES = 6


def checks() -> list[Any]:
    """What must hold of every answer."""
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    # That sound data are taken cannot be asked for: no description says what stands in a file.
    return [
        not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_headers_conformance,
        checks.response_schema_conformance,
        checks.negative_data_rejection,
        checks.unsupported_method,
    ]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    limits = {"queue": 100_000, "queue_client": 100_000}
    with serving(tmp_path_factory.mktemp("described"), limits) as result:
        yield result


@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_described(server: Server, mode: str) -> None:
    import schemathesis
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis.core.result import Ok

    schema = schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")
    operations = [result.ok() for result in schema.get_all_operations() if isinstance(result, Ok)]
    assert len(operations) >= 18
    for operation in operations:
        if mode == "negative" and not (operation.path_parameters or operation.body):
            continue
        server.worker.live()  # a server is well as long as it has been heard of

        @given(operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode)))
        @settings(
            max_examples=EXAMPLES,
            phases=[Phase.generate],
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        def check(case: Any) -> None:
            case.call_and_validate(base_url=server.url, checks=checks(), timeout=60.0)

        check()


def test_described_of_jobs_that_are_there(server: Server) -> None:
    """The same for addresses that lead somewhere, in each status."""
    import schemathesis

    schema = schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")
    waiting = server.accepted([("r.csv", small_results())])
    done = server.accepted([("r.csv", small_results())])
    server.request("POST", f"/api/jobs/{waiting}/cancel")
    server.worker.work()
    for address in (waiting, done):
        for path in ("", "/result.json", "/result.csv", "/events"):
            operation = schema[f"/api/jobs/{{id}}{path}"]["GET"]
            case = operation.Case(path_parameters={"id": address})
            case.call_and_validate(base_url=server.url, checks=checks(), timeout=60.0)
    for method, path in (
        ("POST", "/api/jobs/{id}/cancel"),
        ("POST", "/api/jobs/{id}/retry"),
        ("DELETE", "/api/jobs/{id}"),
    ):
        operation = schema[path][method]
        case = operation.Case(path_parameters={"id": done})
        case.call_and_validate(base_url=server.url, checks=checks(), timeout=60.0)
