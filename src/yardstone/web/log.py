"""The log: a JSON object a line, without names of players, files or addresses of jobs."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any

__all__ = ["JsonLines", "configure_log", "log_event"]


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "from": record.name,
            "event": record.getMessage(),
            **getattr(record, "values", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            # The trace tells where; the message could hold what a visitor wrote.
            line["error"] = record.exc_info[0].__name__
            line["trace"] = _places(record.exc_info[2])
        return json.dumps(line, ensure_ascii=True)


def _places(trace: Any) -> list[str]:
    places = []
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{code.co_filename.rpartition('/')[2]}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return places[-12:]


def configure_log(level: int = logging.INFO) -> None:
    """Have everything logged on standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    # What visitors send is told elsewhere.
    logging.getLogger("python_multipart").setLevel(logging.ERROR)


def log_event(logger: logging.Logger, name: str, **values: Any) -> None:
    """Log something that happened, with plain values; None values are left out."""
    known = {key: value for key, value in values.items() if value is not None}
    logger.info(name, extra={"values": known})
