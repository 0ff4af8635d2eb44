"""GitHub's published REST description: checks what passes over the wire, and fills answers.

The published description is too kind in some places and wrong in others; `corrected` says
where. `tests/data/github-openapi.json` is the result.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from openapi_core import OpenAPI
from openapi_core.exceptions import OpenAPIError
from openapi_core.testing import MockRequest, MockResponse

COPY = Path(__file__).resolve().parent.parent / "data" / "github-openapi.json"
UNDESCRIBED = (401, 403, 404, 406, 429, 500, 502, 503)

Json = dict[str, Any]


def corrected(published: Json) -> Json:
    """The description with GitHub's real strictness, and with the answers it really gives."""
    spec = copy.deepcopy(published)
    for operation in _operations(spec):
        content = operation.get("requestBody", {}).get("content", {})
        for schema in _objects(content.get("application/json", {}).get("schema", {})):
            schema["additionalProperties"] = False
            for side in {"side", "start_side"} & schema["properties"].keys():
                schema["properties"][side]["enum"] = ["LEFT", "RIGHT"]
    schemas = spec["components"]["schemas"]
    pull = schemas["pull-request"]["properties"]
    # a deleted account or fork leaves null: https://github.com/github/rest-api-description/issues/161
    pull["user"] = {"$ref": "#/components/schemas/nullable-simple-user"}
    pull["head"]["properties"]["user"] = {"$ref": "#/components/schemas/nullable-simple-user"}
    pull["head"]["properties"]["repo"] = {"$ref": "#/components/schemas/nullable-repository"}
    # null for a commit whose author has no account, which `oneOf` would not let through
    for role in ("author", "committer"):
        schemas["commit"]["properties"][role] = {
            "$ref": "#/components/schemas/nullable-simple-user"
        }
    # GitHub answers 422 with a list of strings, a list of objects, or one string
    schemas["validation-error-simple"]["properties"]["errors"] = {
        "anyOf": [
            {"type": "string"},
            {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object"}]}},
        ]
    }
    return spec


def _operations(spec: Json) -> Iterator[Json]:
    for methods in spec["paths"].values():
        yield from (operation for operation in methods.values() if isinstance(operation, dict))


def _objects(schema: Json) -> Iterator[Json]:
    if "properties" in schema:
        yield schema
        for inner in schema["properties"].values():
            yield from _objects(inner)
    if "items" in schema:
        yield from _objects(schema["items"])


@cache
def _spec() -> Json:
    spec: Json = json.loads(COPY.read_text(encoding="utf-8"))
    return spec


@cache
def _checker() -> OpenAPI:
    return OpenAPI.from_dict(_spec())


def violations(
    method: str,
    template: str,
    names: Mapping[str, str],
    query: Mapping[str, str],
    body: bytes,
    status: int,
    answer: bytes,
) -> list[str]:
    """What one request and its answer break, as `METHOD path: reason` lines.

    `template` is a path of the description (`/repos/{owner}/…`), `names` fill its gaps.
    """
    path = template.format(**{key: quote(value, safe="") for key, value in names.items()})
    request = MockRequest(
        "https://api.github.com",
        method.lower(),
        path,
        args=dict(query),
        data=body or None,
        content_type="application/json",
    )
    found = []
    try:
        _checker().validate_request(request)
    except OpenAPIError as error:
        found.append(f"{method} {path} request: {_words(error)}")
    described = _spec()["paths"].get(template, {}).get(method.lower(), {}).get("responses", {})
    if str(status) not in described and status in UNDESCRIBED:
        return found
    try:
        _checker().validate_response(
            request, MockResponse(answer, status_code=status, content_type="application/json")
        )
    except OpenAPIError as error:
        found.append(f"{method} {path} answer {status}: {_words(error)}")
    return found


def _words(error: BaseException) -> str:
    causes = getattr(error.__cause__, "schema_errors", None) or [error.__cause__ or error]
    return "; ".join(str(getattr(cause, "message", cause)) for cause in causes)


def filled(schema: str, /, **known: Any) -> Json:
    """An object of a named schema: the known values, and plain ones for what is required."""
    return _fill(_spec()["components"]["schemas"][schema], known)


def _fill(schema: Json, known: Mapping[str, Any]) -> Json:
    properties = schema.get("properties", {})
    missing = (key for key in schema.get("required", ()) if key not in known)
    return {**{key: _plain(properties[key]) for key in missing}, **known}


def _plain(schema: Json) -> Any:
    if "$ref" in schema:
        schema = _spec()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    if schema.get("nullable"):
        return None
    if "enum" in schema:
        return schema["enum"][0]
    match schema.get("type"), schema.get("format"):
        case "string", "uri":
            return "https://github.invalid/"
        case "string", "date-time":
            return "2026-01-02T03:04:05Z"
        case "string", _:
            return ""
        case "integer" | "number", _:
            return 0
        case "boolean", _:
            return False
        case "array", _:
            return []
        case _:
            return _fill(schema, {})
