import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createConformanceFixtures } from "#dev/conformance/fixtures.ts";
import { legacyVersions } from "#mcp/protocol/messages.ts";
import { forOneEngine } from "../support/engines.ts";
import { callLegacy, callModern, initialize, newMcpClient, useMcpServer, type McpCaller } from "../support/mcp.ts";

/** `test_param_headers` is a fixture, because no tool of the product has inputs that clients repeat in headers. */
forOneEngine("headers that repeat inputs of a tool", (fixture) => {
  const server = useMcpServer(fixture, {
    extension: createConformanceFixtures(() => "a secret of at least thirty-two bytes"),
  });
  let caller: McpCaller;
  before(async () => void ({ caller } = await newMcpClient(fixture, server)));

  const getOutcome = async (args: object, headers: Record<string, string>) => {
    const params = { name: "test_param_headers", arguments: args };
    const { status, json } = await callModern(caller, "tools/call", params, headers);
    return [status, json.error?.code];
  };
  const encode = (text: string) => `=?base64?${Buffer.from(text).toString("base64")}?=`;
  const accepted = [200, undefined];
  const rejected = [400, -32020];

  test("accepts matching headers, with names in any letter case and values plain or encoded, and no header for an absent input (M11)", async () => {
    for (const [args, headers] of [
      [{ region: "us-west1" }, { "Mcp-Param-Region": "us-west1" }],
      [{ region: "us-west1" }, { "MCP-PARAM-REGION": encode("us-west1") }],
      [{ region: "Zürich 🏔" }, { "mcp-param-region": encode("Zürich 🏔") }],
      [{ region: " padded " }, { "mcp-param-region": encode(" padded ") }],
      [{ region: "=?base64?literal" }, { "mcp-param-region": "=?base64?literal" }],
      [{ target: { count: -7 } }, { "mcp-param-count": "-7" }],
      [{ region: null, target: {} }, {}],
      [{}, { "mcp-param-other": "ignored" }],
    ] as const)
      assert.deepEqual(await getOutcome(args, headers), accepted, JSON.stringify([args, headers]));
  });

  test("rejects headers that are missing, invalid or differ from the body (M11)", async () => {
    for (const [args, headers] of [
      [{ region: "us-west1" }, {}],
      [{ region: "us-west1" }, { "mcp-param-region": "us-east1" }],
      [{ region: "us-west1" }, { "mcp-param-region": "US-WEST1" }],
      [{ region: "Hello" }, { "mcp-param-region": "=?base64?SGVsbG8?=" }],
      [{ region: "Hello" }, { "mcp-param-region": "=?base64?SGVs!!!bG8=?=" }],
      [{ region: "é" }, { "mcp-param-region": "é" }],
      [{ target: { count: 7 } }, { "mcp-param-count": "8" }],
      [{ target: { count: 7 } }, {}],
      [{ region: { nested: 1 } }, { "mcp-param-region": "[object Object]" }],
      [{}, { "mcp-param-region": "us-west1" }],
    ] as const)
      assert.deepEqual(await getOutcome(args, headers), rejected, JSON.stringify([args, headers]));
  });

  test("neither requires nor checks these headers, Mcp-Method and Mcp-Name in earlier protocol versions (M11)", async () => {
    const params = { name: "test_param_headers", arguments: { region: "us-west1" } };
    for (const version of legacyVersions) {
      const { session } = await initialize(caller, version);
      const versionHeaders = { "mcp-protocol-version": version, "mcp-session-id": session };
      for (const headers of [
        {},
        { "mcp-param-region": "us-east1" },
        { "mcp-param-count": "8" },
        { "mcp-method": "tools/list" },
        { "mcp-name": "whoami" },
        { "mcp-name": "=?base64?!!?=" },
      ]) {
        const { status, json } = await callLegacy(caller, "tools/call", params, { ...versionHeaders, ...headers });
        const text = json.result?.content?.[0]?.text;
        assert.deepEqual([status, text], [200, "Region: us-west1"], JSON.stringify([version, headers]));
      }
    }
  });
});
