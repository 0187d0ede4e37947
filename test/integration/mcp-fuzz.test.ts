import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fc } from "../support/fuzz.ts";
import { z } from "zod";
import { createLog } from "#lib/log.ts";
import { PublicFetchError } from "#lib/public-fetch.ts";
import type { Tool } from "#mcp/define-tool.ts";
import { tools } from "#mcp/tool-list.ts";
import { forOneEngine } from "../support/engines.ts";
import { isLongRun } from "../support/long-run.ts";
import {
  initialize,
  callModern,
  modernMeta,
  newMcpClient,
  postMcp,
  startMcpServer,
  useMcpServer,
  type McpCaller,
  type TestMcpServer,
} from "../support/mcp.ts";

const runs = isLongRun ? 20_000 : 200;

/** Values that have broken parsers before, and random ones. */
const hostileValue = fc.oneof(
  fc.constantFrom<unknown>("", "\0", "\ud800", "__proto__", "constructor", "'; DROP TABLE posts; --", "../../etc"),
  fc.constantFrom<unknown>(null, true, 0, -1, 1e308, -0, 2 ** 53, 2 ** 31, 1.5, [], {}, [[]], { a: {} }),
  fc.string({ maxLength: 40, unit: "binary" }),
  fc.jsonValue({ maxDepth: 3 }),
);

const listFields = ({ input }: Tool): string[] => Object.keys(z.toJSONSchema(input, { io: "input" }).properties ?? {});
const fieldsByTool = new Map(tools.map((tool) => [tool.name, listFields(tool)]));

/** Mostly the valid value, sometimes a hostile one. */
const mostly = (weight: number, valid: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight, arbitrary: valid }, { weight: 1, arbitrary: hostileValue });

/** Calls with the names of real tools and mostly real fields. */
const toolCall = fc.constantFrom(...fieldsByTool.keys(), "nope", "").chain((name) => {
  const field = fc.oneof(fc.constantFrom("postId", ...(fieldsByTool.get(name) ?? [])), fc.string());
  return fc.record({
    name: mostly(9, fc.constant(name)),
    arguments: mostly(6, fc.dictionary(field, hostileValue, { maxKeys: 5 })),
  });
});

const methods = [
  ...["tools/list", "initialize", "ping", "server/discover", "subscriptions/listen", "notifications/cancelled"],
  ...["notifications/initialized", "prompts/get", "resources/read", "completion/complete", "logging/setLevel", "x"],
];

const message = fc
  .record(
    {
      jsonrpc: mostly(12, fc.constant("2.0")),
      id: mostly(6, fc.oneof(fc.nat(), fc.string())),
      method: fc.oneof(
        { weight: 6, arbitrary: fc.constant<unknown>("tools/call") },
        { weight: 3, arbitrary: fc.constantFrom<unknown>(...methods) },
        { weight: 1, arbitrary: hostileValue },
      ),
      params: mostly(5, toolCall),
      result: hostileValue,
      error: hostileValue,
    },
    { requiredKeys: ["jsonrpc", "method", "params", "id"] },
  )
  .map(({ result, error, ...rest }) => ((rest.id as number) % 11 === 3 ? { ...rest, result, error } : rest));

type Corruption = (text: string) => string;

/** Damages the text of a message, or leaves it as it is. */
const corruption = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Corruption>((text) => text) },
  {
    weight: 1,
    arbitrary: fc.nat(400).map(
      (at): Corruption =>
        (text) =>
          text.slice(0, at),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(400), fc.string({ maxLength: 4 })).map(
      ([at, inserted]): Corruption =>
        (text) =>
          text.slice(0, at) + inserted + text.slice(at),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.nat(400).map(
      (at): Corruption =>
        (text) =>
          text.slice(0, at) + text,
    ),
  },
  { weight: 1, arbitrary: fc.constant<Corruption>((text) => `[${text},${text}]`) },
  { weight: 1, arbitrary: fc.constant<Corruption>((text) => text.replace('"id":', '"id":{"id":1},"id":')) },
);

const versions = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "1999-01-01", "", undefined];
const protocolVersion = fc.constantFrom(...versions);

forOneEngine("malformed MCP messages", (fixture) => {
  let server: TestMcpServer;
  let caller: McpCaller;
  let session: string;
  const errorLines: string[] = [];
  before(async () => {
    const log = createLog("error", { write: (line: string) => void errorLines.push(line) });
    const openUrl = () => Promise.reject(new PublicFetchError("no network in this test", true));
    const deps = { ...fixture.deps, openUrl };
    server = await startMcpServer({ deps }, { log });
    ({ caller } = await newMcpClient({ deps }, server));
    session = (await initialize(caller)).session;
  });
  after(async () => {
    await server.close();
    assert.deepEqual(errorLines, []);
  });

  test("responds to any message in either protocol version with a valid message, and none with an internal error (M10, M11)", async (t) => {
    const statusCounts: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(
        message,
        corruption,
        protocolVersion,
        fc.boolean(),
        fc.boolean(),
        async (original, corrupt, version, headersMatchBody, inSession) => {
          const isModern = version === "2026-07-28";
          const params =
            isModern && headersMatchBody && isObject(original.params)
              ? { ...original.params, _meta: modernMeta }
              : original.params;
          const text = corrupt(JSON.stringify({ ...original, params }));
          const name = isObject(params) ? params["name"] : undefined;
          const headers = Object.entries({
            "mcp-protocol-version": version,
            "mcp-method": headersMatchBody ? original.method : "tools/list",
            "mcp-name": headersMatchBody ? name : undefined,
            "mcp-session-id": inSession && !isModern ? session : undefined,
          }).filter((pair): pair is [string, string] => typeof pair[1] === "string" && /^[\x21-\x7e]+$/.test(pair[1]));
          const response = await postMcp(caller, text, Object.fromEntries(headers));
          statusCounts[response.status] = (statusCounts[response.status] ?? 0) + 1;
          assert.ok(response.status < 500, `${response.status} ${response.text}`);
          if (response.status === 202) return assert.equal(response.text, "");
          for (const received of response.messages) assertJsonRpc(received, response.text);
        },
      ),
      { numRuns: runs },
    );
    t.diagnostic(JSON.stringify(statusCounts));
    assert.equal((await callModern(caller, "tools/list")).status, 200);
  });
});

/** Texts of 100,000 characters that are expensive for naive schemas and regular expressions. */
const longTexts = [
  "a",
  " ",
  "\0",
  "-",
  "/../",
  "@",
  "<!--",
  "http://",
  "%2e",
  "é😀",
  "\u202e",
  "=",
  "aaaaaaaaaa.",
  "\n",
].map((unit) => unit.repeat(Math.ceil(100_000 / unit.length)));

forOneEngine("long MCP arguments", (fixture) => {
  const server = useMcpServer(fixture);

  test("the schema of any tool checks an argument of 100 KB in at most 100 ms of CPU (X4)", () => {
    for (const { name, input } of tools)
      for (const field of fieldsByTool.get(name) ?? [])
        for (const text of longTexts) {
          const before = process.cpuUsage();
          input.safeParse({ [field]: text });
          const { user, system } = process.cpuUsage(before);
          assert.ok(user + system <= 100_000, `${name}.${field}: ${JSON.stringify(text.slice(0, 12))}`);
        }
  });

  test("no field of any tool causes an internal error with a text of 100 KB (X4)", async () => {
    const { call } = await newMcpClient(fixture, server);
    let index = 0;
    for (const [name, fields] of fieldsByTool)
      for (const field of [...fields, "unknown"]) {
        const { code } = (await call(name, { [field]: longTexts[index++ % longTexts.length] })).structuredContent;
        assert.match(code, /^(invalid_input|not_found)$/, `${name}.${field}`);
      }
  });
});

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function assertJsonRpc(value: unknown, text: string): void {
  assert.ok(isObject(value), text);
  const { jsonrpc, id, result, error, method } = value;
  assert.equal(jsonrpc, "2.0");
  if (method !== undefined) return; // a notification before the response
  assert.ok(id === null || typeof id === "string" || typeof id === "number", text);
  assert.notEqual(result === undefined, error === undefined, text);
  if (error === undefined) return;
  assert.ok(isObject(error) && Number.isInteger(error["code"]) && typeof error["message"] === "string", text);
  assert.notEqual(error["code"], -32603, text);
}
