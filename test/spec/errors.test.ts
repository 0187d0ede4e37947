import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError, errorStatus, notFound, renderError, type ErrorCode } from "#lib/errors.ts";
import { errorCodes } from "./requirements.ts";

test("[ERR-1] the codes are those that are promised, no more and no fewer, each with an HTTP status of its kind", () => {
  assert.deepEqual(Object.keys(errorStatus).toSorted(), errorCodes.toSorted());
  const [server, client] = [
    new Set(["internal", "storage_unavailable", "url_unreachable"]),
    Object.entries(errorStatus),
  ];
  for (const [code, status] of client) {
    assert.equal(Math.floor(status / 100), server.has(code) ? 5 : 4, code);
  }
  const pinned: Partial<Record<ErrorCode, number>> = {
    unauthenticated: 401,
    forbidden: 403,
    not_found: 404,
    rate_limited: 429,
    storage_unavailable: 503,
    internal: 500,
  };
  for (const [code, status] of Object.entries(pinned)) assert.equal(errorStatus[code as ErrorCode], status, code);
});

test("[ERR-2] an error of ours shows its code, message and hint, and nothing else", () => {
  const error = new AppError("too_large", "Too large.", "Make it smaller.", {
    cause: new Error("secret"),
    retryAfter: 3,
  });
  assert.deepEqual(renderError(error, "req_1"), {
    status: 413,
    view: { code: "too_large", message: "Too large.", hint: "Make it smaller." },
    retryAfter: 3,
    known: true,
  });
  assert.ok(error instanceof Error);
  assert.deepEqual(error.cause, new Error("secret"));
});

test("[ERR-2] a hint that there is not is left out", () => {
  assert.deepEqual(renderError(notFound("post"), "req_1"), {
    status: 404,
    view: { code: "not_found", message: "There is no such post." },
    known: true,
  });
});

test("[ERR-3] whatever else is thrown becomes internal with the reference, and says nothing of itself", () => {
  const leaky = Object.assign(new Error("SELECT * FROM users -- /srv/data/atelier.db Bearer abc"), {
    code: "forbidden",
    status: 200,
    hint: "x",
  });
  for (const thrown of [
    leaky,
    "Bearer abc",
    undefined,
    null,
    42,
    { code: "forbidden", message: "Bearer abc", status: 200 },
    new TypeError("Bearer abc"),
  ]) {
    const rendered = renderError(thrown, "req_7");
    assert.equal(rendered.status, 500);
    assert.equal(rendered.known, false);
    assert.equal(rendered.view.code, "internal");
    assert.match(rendered.view.message, /req_7/);
    assert.doesNotMatch(JSON.stringify(rendered), /SELECT|srv|Bearer|at .*:\d+/);
  }
});
