"""The interface keeps to its own description, whatever it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.web.serving import Server, serving, small_results

#: Requests to each operation, sound and unsound.
EXAMPLES = 4


def validate(server: Server, case: Any) -> None:
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    # That sound data are taken cannot be asked for: no description says what stands in a file.
    wanted = [
        not_a_server_error, checks.status_code_conformance, checks.content_type_conformance,
        checks.response_headers_conformance, checks.response_schema_conformance,
        checks.negative_data_rejection, checks.unsupported_method,
    ]  # fmt: skip
    case.call_and_validate(base_url=server.url, checks=wanted, timeout=60.0)


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
        found = operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode))
        limited = settings(
            max_examples=EXAMPLES, phases=[Phase.generate], database=None,
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        limited(given(found)(lambda case: validate(server, case)))()


def test_described_of_jobs_that_are_there(server: Server) -> None:
    import schemathesis

    schema = schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")
    waiting, done = (server.accepted([("r.csv", small_results())]) for _ in range(2))
    server.request("POST", f"/api/jobs/{waiting}/cancel")
    server.worker.work()
    for address in (waiting, done):
        for method, path in (
            ("GET", ""), ("GET", "/result.json"), ("GET", "/result.csv"), ("GET", "/events"),
            ("POST", "/cancel"), ("POST", "/retry"), ("DELETE", ""),
        ):  # fmt: skip
            operation = schema[f"/api/jobs/{{id}}{path}"][method]
            validate(server, operation.Case(path_parameters={"id": address}))
