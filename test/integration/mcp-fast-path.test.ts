import { classifyInboundRequest, type InboundHttpRequest } from "@modelcontextprotocol/server";
import { fc } from "../support/fuzz.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MirroredHeaders } from "#mcp/protocol/messages.ts";
import { checkStandardHeaders, matchFastPath } from "#mcp/protocol/standard-headers.ts";
import { isLongRun } from "../support/long-run.ts";
import { modernMeta } from "../support/mcp.ts";

const runs = isLongRun ? 20_000 : 4000;

/** Random values, and edge cases that a lax check accepts and a strict one rejects. */
const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>({}, [], null, "", 0, -1, 1.5, 1e21, Number.MAX_SAFE_INTEGER, true, "2.0"),
  fc.constantFrom<unknown>({ form: {} }, { form: { x: 1 } }, { listChanged: true }),
);
/** Mostly a valid value, sometimes undefined or a random value. */
const field = (valid: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 30, arbitrary: valid },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: anyValue },
  );

/** Mostly undefined, sometimes the value. */
const rarely = (value: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const versions = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2099-01-01"];
const protocolVersions = fc.constantFrom(...versions);
const toolMethods = ["tools/call", "tools/list"];
const otherMethods = ["initialize", "server/discover", "prompts/get", "resources/read", "notifications/cancelled"];
const methods = fc.constantFrom(...toolMethods, ...otherMethods);
const names = fc.constantFrom("get_post", "=?base64?Z2V0X3Bvc3Q=?=", "ünïcode", "");

const meta = fc.record(
  {
    "io.modelcontextprotocol/protocolVersion": field(
      fc.oneof({ weight: 5, arbitrary: fc.constant("2026-07-28") }, protocolVersions),
    ),
    "io.modelcontextprotocol/clientInfo": field(
      fc.oneof(
        fc.constant({ name: "c", version: "1" }),
        fc.dictionary(fc.constantFrom("name", "version", "title", "icons", "websiteUrl", "description"), anyValue),
      ),
    ),
    "io.modelcontextprotocol/clientCapabilities": field(
      fc.oneof(
        fc.constant({}),
        fc.dictionary(
          fc.constantFrom("sampling", "elicitation", "roots", "tasks", "experimental", "extensions", "x"),
          anyValue,
        ),
      ),
    ),
    "io.modelcontextprotocol/logLevel": rarely(fc.constantFrom("info", "loud")),
    "io.modelcontextprotocol/related-task": rarely(anyValue),
    progressToken: field(fc.oneof(fc.string(), fc.integer())),
    other: anyValue,
  },
  { requiredKeys: ["io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"] },
);
const params = fc.record(
  { name: field(names), uri: field(names), arguments: field(fc.constant({})), _meta: field(meta) },
  { requiredKeys: ["_meta"] },
);
const bodies = fc.record(
  {
    jsonrpc: field(fc.constant("2.0")),
    id: field(fc.oneof(fc.integer(), fc.string())),
    method: field(methods),
    params: field(params),
    extra: rarely(anyValue),
  },
  { requiredKeys: ["jsonrpc", "method", "params"] },
);
const headers = fc.record({
  matchesBody: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
  protocolVersionHeader: fc.oneof(
    { weight: 4, arbitrary: fc.constant<string | undefined>("2026-07-28") },
    fc.option(protocolVersions, { nil: undefined }),
  ),
  mcpMethodHeader: fc.option(methods, { nil: undefined, freq: 8 }),
  mcpNameHeader: fc.option(names, { nil: undefined, freq: 8 }),
});

/** Returns whether the fast path matches a request, and checks that the SDK classifies each match the same way. */
function matchesLikeSdk(input: unknown, mirroredHeaders: MirroredHeaders): boolean {
  const body: unknown = JSON.parse(JSON.stringify(input));
  const match = matchFastPath(body, mirroredHeaders);
  if (!match) return false;
  const sdkResult = classifyInboundRequest({ httpMethod: "POST", ...mirroredHeaders, body } as InboundHttpRequest);
  assert.equal(sdkResult.kind, match.era, JSON.stringify({ body, mirroredHeaders, sdkResult }));
  if (sdkResult.kind === "modern") {
    assert.equal(sdkResult.messageKind, "request");
    assert.equal(sdkResult.classification.revision, "2026-07-28");
    assert.equal(
      checkStandardHeaders(match.method, match.params, mirroredHeaders, match.id),
      undefined,
      JSON.stringify({ body, mirroredHeaders }),
    );
  }
  return true;
}

test("the fast path classifies every request that it matches as the SDK does (M11)", () => {
  let matchCount = 0;
  fc.assert(
    fc.property(bodies, headers, (body, { matchesBody, ...randomHeaders }) => {
      const { method, params: bodyParams } = body as {
        method?: unknown;
        params?: { name?: unknown; uri?: unknown } | null;
      };
      const name = method === "resources/read" ? bodyParams?.uri : bodyParams?.name;
      // Node's parser trims header values.
      const headersFromBody = {
        ...(typeof method === "string" ? { mcpMethodHeader: method.trim() } : {}),
        ...(typeof name === "string" ? { mcpNameHeader: name.trim() } : {}),
      };
      if (matchesLikeSdk(body, matchesBody ? { ...randomHeaders, ...headersFromBody } : randomHeaders)) matchCount++;
    }),
    { numRuns: runs },
  );
  assert.ok(matchCount > runs / 20, `only ${matchCount} of ${runs} requests matched`);
});

test("the fast path matches the requests of real clients", () => {
  const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} };
  const body = {
    jsonrpc: "2.0",
    id: 0,
    method: "tools/call",
    params: {
      name: "get_post",
      arguments: {},
      _meta: { ...modernMeta, "io.modelcontextprotocol/clientCapabilities": capabilities, progressToken: 1 },
    },
  };
  assert.ok(
    matchesLikeSdk(body, {
      protocolVersionHeader: "2026-07-28",
      mcpMethodHeader: "tools/call",
      mcpNameHeader: "get_post",
    }),
  );
  assert.ok(
    matchesLikeSdk(
      { jsonrpc: "2.0", id: 0, method: "tools/call", params: { name: "get_post", _meta: { progressToken: 1 } } },
      { protocolVersionHeader: "2025-11-25", mcpMethodHeader: undefined, mcpNameHeader: undefined },
    ),
  );
});
