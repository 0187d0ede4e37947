import { classifyInboundRequest, type InboundHttpRequest } from "@modelcontextprotocol/server";
import { fc } from "../support/fuzz.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MirroredHeaders } from "#mcp/protocol/messages.ts";
import { checkStandardHeaders, matchFastPath } from "#mcp/protocol/standard-headers.ts";
import { modernMeta } from "../support/mcp.ts";

/** Any value at all, and the ones that tell a lax check from a strict one. */
const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    {},
    [],
    null,
    "",
    0,
    -1,
    1.5,
    1e21,
    Number.MAX_SAFE_INTEGER,
    true,
    "2.0",
    { form: {} },
    { form: { x: 1 } },
    { listChanged: true },
  ),
);
/** A field that is as it should be, absent, or anything. */
const field = (good: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 30, arbitrary: good },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: anything },
  );

const rarely = (value: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 30, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

const revisions = fc.constantFrom("2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2099-01-01");
const methods = fc.constantFrom(
  "tools/call",
  "tools/list",
  "initialize",
  "server/discover",
  "prompts/get",
  "resources/read",
  "notifications/cancelled",
);
const names = fc.constantFrom("get_post", "=?base64?Z2V0X3Bvc3Q=?=", "ünïcode", "");

const meta = fc.record(
  {
    "io.modelcontextprotocol/protocolVersion": field(
      fc.oneof({ weight: 5, arbitrary: fc.constant("2026-07-28") }, revisions),
    ),
    "io.modelcontextprotocol/clientInfo": field(
      fc.oneof(
        fc.constant({ name: "c", version: "1" }),
        fc.dictionary(fc.constantFrom("name", "version", "title", "icons", "websiteUrl", "description"), anything),
      ),
    ),
    "io.modelcontextprotocol/clientCapabilities": field(
      fc.oneof(
        fc.constant({}),
        fc.dictionary(
          fc.constantFrom("sampling", "elicitation", "roots", "tasks", "experimental", "extensions", "x"),
          anything,
        ),
      ),
    ),
    "io.modelcontextprotocol/logLevel": rarely(fc.constantFrom("info", "loud")),
    "io.modelcontextprotocol/related-task": rarely(anything),
    progressToken: field(fc.oneof(fc.string(), fc.integer())),
    other: anything,
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
    extra: rarely(anything),
  },
  { requiredKeys: ["jsonrpc", "method", "params"] },
);
const headers = fc.record({
  repeats: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, fc.constant(false)),
  protocolVersionHeader: fc.oneof(
    { weight: 4, arbitrary: fc.constant<string | undefined>("2026-07-28") },
    fc.option(revisions, { nil: undefined }),
  ),
  mcpMethodHeader: fc.option(methods, { nil: undefined, freq: 8 }),
  mcpNameHeader: fc.option(names, { nil: undefined, freq: 8 }),
});

/** Whatever is well formed already, the recognizer must call by the same name as the SDK does. */
function agrees(given: unknown, wire: MirroredHeaders): boolean {
  const body: unknown = JSON.parse(JSON.stringify(given));
  const plain = matchFastPath(body, wire);
  if (!plain) return false;
  const verdict = classifyInboundRequest({ httpMethod: "POST", ...wire, body } as InboundHttpRequest);
  assert.equal(verdict.kind, plain.era, JSON.stringify({ body, wire, verdict }));
  if (verdict.kind === "modern") {
    assert.equal(verdict.messageKind, "request");
    assert.equal(verdict.classification.revision, "2026-07-28");
    assert.equal(
      checkStandardHeaders(plain.method, plain.params, wire, plain.id),
      undefined,
      JSON.stringify({ body, wire }),
    );
  }
  return true;
}

test("what is recognized as plain is accepted by the SDK's classifier, in the same sense (M11)", () => {
  let recognized = 0;
  fc.assert(
    fc.property(bodies, headers, (body, { repeats, ...wire }) => {
      const { method, params: given } = body as { method?: unknown; params?: { name?: unknown; uri?: unknown } | null };
      const name = method === "resources/read" ? given?.uri : given?.name;
      // Node's parser takes the space around a header's value away, so none ever has any.
      const repeated = {
        ...(typeof method === "string" ? { mcpMethodHeader: method.trim() } : {}),
        ...(typeof name === "string" ? { mcpNameHeader: name.trim() } : {}),
      };
      if (agrees(body, repeats ? { ...wire, ...repeated } : wire)) recognized++;
    }),
    { numRuns: 20_000 },
  );
  assert.ok(recognized > 1000, `only ${recognized} of 20,000 were recognized`);
});

test("what real clients send is recognized", () => {
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
    agrees(body, { protocolVersionHeader: "2026-07-28", mcpMethodHeader: "tools/call", mcpNameHeader: "get_post" }),
  );
  assert.ok(
    agrees(
      { jsonrpc: "2.0", id: 0, method: "tools/call", params: { name: "get_post", _meta: { progressToken: 1 } } },
      { protocolVersionHeader: "2025-11-25", mcpMethodHeader: undefined, mcpNameHeader: undefined },
    ),
  );
});
