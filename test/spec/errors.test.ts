import assert from "node:assert/strict";
import { test } from "node:test";
import { errorHints as hintsForPeople } from "#http/error-hints.ts";
import { errorHints as hintsForModels } from "#mcp/error-hints.ts";
import { errorMessages, type ErrorHints } from "#lib/error-messages.ts";
import { AppError, edgeError, errorStatus, notFoundError, renderError, type ErrorCode } from "#lib/errors.ts";
import { tools } from "#mcp/tool-list.ts";
import { errorCodes } from "./requirements.ts";

test("the error codes are exactly the required ones; server errors have a 5xx status, all others 4xx (ERR-1)", () => {
  assert.deepEqual(Object.keys(errorStatus).toSorted(), errorCodes.toSorted());
  const serverErrors = new Set(["internal", "storage_unavailable", "url_unreachable"]);
  for (const [code, status] of Object.entries(errorStatus))
    assert.equal(Math.floor(status / 100), serverErrors.has(code) ? 5 : 4, code);
  const pinnedStatuses: Partial<Record<ErrorCode, number>> = {
    unauthenticated: 401,
    forbidden: 403,
    not_found: 404,
    rate_limited: 429,
    storage_unavailable: 503,
    internal: 500,
  };
  for (const [code, status] of Object.entries(pinnedStatuses))
    assert.equal(errorStatus[code as ErrorCode], status, code);
});

test("an error view has only its code, its message and the hint of the edge (ERR-2)", () => {
  const options = { cause: new Error("secret"), retryAfter: 3 };
  const error = new AppError("asset_limit_reached", { limit: 20 }, options);
  const hints: ErrorHints = { asset_limit_reached: ({ limit }) => `Remove one of the ${limit} first.` };
  assert.deepEqual(renderError(error, "req_1", hints), {
    status: 409,
    view: {
      code: "asset_limit_reached",
      message: "The post already has 20 assets, the maximum.",
      hint: "Remove one of the 20 first.",
    },
    retryAfter: 3,
    isExpected: true,
  });
  assert.ok(error instanceof Error);
  assert.deepEqual(error.cause, new Error("secret"));
});

test("an error that an edge creates keeps its own hint (ERR-2)", () => {
  const error = edgeError("too_large", "Too large.", "Make it smaller.");
  const { view } = renderError(error, "req_1", { "too_large:put": "Another hint." });
  assert.deepEqual(view, { code: "too_large", message: "Too large.", hint: "Make it smaller." });
});

test("an error without a hint omits the field (ERR-2)", () => {
  assert.deepEqual(renderError(notFoundError("post"), "req_1", {}), {
    status: 404,
    view: { code: "not_found", message: "This post does not exist." },
    isExpected: true,
  });
});

test("storage_unavailable always says when to retry (ERR-storage_unavailable)", () => {
  const getRetryAfter = (error: AppError) => renderError(error, "req_1", {}).retryAfter;
  assert.equal(getRetryAfter(new AppError("storage_unavailable:store_lost")), 5);
  assert.equal(getRetryAfter(new AppError("storage_unavailable:store", undefined, { retryAfter: 60 })), 60);
  assert.equal(getRetryAfter(notFoundError("post")), undefined);
});

test("every error message key starts with an error code", () => {
  for (const key of Object.keys(errorMessages)) assert.ok(errorCodes.includes(key.split(":", 1)[0] as ErrorCode), key);
});

test("messages and hints for people use typographic apostrophes and the contractions of the web app", () => {
  for (const text of [...Object.values(errorMessages), ...Object.values(hintsForPeople)].map(String))
    assert.doesNotMatch(text, /[a-z]'[a-z]|could not/i);
});

/** Error codes that the edge can't return, or whose hints are set where the errors are created. */
const withoutHint: Record<"people" | "models", readonly string[]> = {
  people: ["inline_too_large_use_presign", "idempotency_conflict", "platform_unsupported", "internal"],
  models: ["connect_denied", "internal", "review_ended", "unauthenticated"],
};

test("every error code has a message, and a hint for people and for models (ERR-2)", () => {
  const findUncovered = (table: object): string[] =>
    errorCodes.filter((code) => !Object.keys(table).some((key) => key.split(":", 1)[0] === code));
  assert.deepEqual(findUncovered(errorMessages), ["internal"]);
  assert.deepEqual(findUncovered(hintsForPeople).toSorted(), withoutHint.people.toSorted());
  assert.deepEqual(findUncovered(hintsForModels).toSorted(), withoutHint.models.toSorted());
  const publishingKeys = Object.keys(errorMessages).filter((key) =>
    /publi|already_scheduled|too_late|post_in_use|approve/.test(key),
  );
  assert.ok(publishingKeys.length >= 7);
  for (const key of publishingKeys) {
    assert.ok(key in hintsForPeople, `${key} has no hint for people`);
    if (key !== "invalid_input:publication_url") assert.ok(key in hintsForModels, `${key} has no hint for models`);
  }
});

test("error messages and hints for people never name a tool", () => {
  const toolNames = new RegExp(`\\b(${tools.map(({ name }) => name).join("|")})\\b`);
  for (const [key, message] of Object.entries(errorMessages)) assert.doesNotMatch(String(message), toolNames, key);
  for (const [key, hint] of Object.entries(hintsForPeople)) assert.doesNotMatch(String(hint), toolNames, key);
});

test("an unexpected error is rendered as `internal` with the request id, and reveals nothing else (ERR-3)", () => {
  const sensitiveError = Object.assign(new Error("SELECT * FROM users -- /srv/data/atelier.db Bearer abc"), {
    code: "forbidden",
    status: 200,
    hint: "x",
  });
  for (const thrown of [
    sensitiveError,
    "Bearer abc",
    undefined,
    null,
    42,
    { code: "forbidden", message: "Bearer abc", status: 200 },
    new TypeError("Bearer abc"),
  ]) {
    const rendered = renderError(thrown, "req_7", {});
    assert.equal(rendered.status, 500);
    assert.equal(rendered.isExpected, false);
    assert.equal(rendered.view.code, "internal");
    assert.match(rendered.view.message, /req_7/);
    assert.doesNotMatch(JSON.stringify(rendered), /SELECT|srv|Bearer|at .*:\d+/);
  }
});
