import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "#lib/log.ts";
import { call, startApiServer } from "../support/api-server.ts";
import { forOneEngine } from "../support/engines.ts";
import { listHostileIds } from "../support/hostile-ids.ts";
import { initialize, callLegacy, callModern, postMcp } from "../support/mcp.ts";
import { newStudio } from "../support/users.ts";
import { parseStrictly } from "../support/strict-json.ts";
import { createTestGrant } from "../support/tokens.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startForSuite } from "../support/start-for-suite.ts";

type Line = Record<string, unknown>;

forOneEngine("log lines", (fixture) => {
  const logLines: string[] = [];
  const log = createLog("trace", { write: (line) => void logLines.push(line) });
  const server = startForSuite(() => startApiServer(fixture.deps, log));

  /** Waits for the log lines of all requests, then removes and returns every line. */
  async function collectLines(requestCount: number): Promise<Line[]> {
    const isRequest = (line: string) => line.includes('"msg":"request"');
    await waitUntil(() => logLines.filter(isRequest).length >= requestCount, {
      description: "the lines of all requests",
    });
    return logLines.splice(0).map((line) => {
      assert.match(line, /^[^\n\r]+\n$/);
      return parseStrictly(line) as Line;
    });
  }

  test("every log line is JSON with unique keys for any request (L4)", async () => {
    const owner = await newStudio(server.deps, undefined, 'St"udio\n\u001b[2J');
    const { token } = await createTestGrant(server.deps, owner);
    const cookie = await server.signIn(owner);
    const mcpCaller = { url: `${server.base}/mcp`, token };
    const { session } = await initialize(mcpCaller);
    let requestCount = 1;
    for (const name of ["get_post", "method", "level", "time", "msg", '"},{"', ...listHostileIds("post")]) {
      await callLegacy({ ...mcpCaller, session }, "tools/call", { name, arguments: { postId: name } });
      await callLegacy({ ...mcpCaller, session }, name);
      await postMcp(mcpCaller, JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params: { name } }));
      const segment = encodeURIComponent(name.toWellFormed()).slice(0, 4000);
      await call(server, "GET", `/${segment}`);
      const body = { title: name, method: name };
      await call(server, "PATCH", `/api/studios/${owner.studio.id}/posts/${segment}`, { cookie, body });
      requestCount += 5;
    }
    await callModern(mcpCaller, "tools/call", { name: "whoami", arguments: {} });
    await postMcp({ url: mcpCaller.url }, "{");
    await call(server, "GET", "/api/me", { cookie });
    await call(server, "POST", "/token", { body: "grant_type=x", headers: { "content-type": "text/plain" } });
    await call(server, "DELETE", "/mcp", { headers: { authorization: `Bearer ${token}` } });
    const lines = await collectLines(requestCount + 5);

    assert.ok(lines.every(({ level, time, msg }) => [level, time, msg].every((value) => typeof value === "string")));
    const toolLine = lines.find(({ tool: name }) => name === "whoami");
    const apiLine = lines.find(({ path }) => path === "/api/me");
    const pick = (line: Line | undefined) => [line?.["method"], line?.["rpcMethod"], line?.["userId"]];
    assert.deepEqual(pick(toolLine), ["POST", "tools/call", owner.user.id]);
    assert.deepEqual(pick(apiLine), ["GET", undefined, owner.user.id]);
  });

  test("the log has successful probes at debug and other requests at info (RUN-9)", async () => {
    for (const path of ["/healthz", "/readyz", "/metrics", "/api/me"]) await fetch(`${server.base}${path}`);
    const lines = await collectLines(4);
    const levels = Object.fromEntries(lines.map(({ path, level }) => [path, level]));
    assert.deepEqual(levels, { "/healthz": "debug", "/readyz": "debug", "/metrics": "debug", "/api/me": "info" });
  });

  test("a token in any spelling of its path, in a query or in a referrer is not logged (RUN-9, F9)", async () => {
    const token = "s3cretT0ken";
    const prefixes = ["u", "join", "consent", "connect", "files", "files/media", "api/invitations", "new-route"];
    const paths = prefixes.flatMap((prefix) => [
      `/${prefix}/${token}`,
      `//${prefix}/${token}`,
      `/${prefix.toUpperCase()}/${token}`,
      `/%${prefix.charCodeAt(0).toString(16)}${prefix.slice(1)}/${token}`,
      `/x/../${prefix}/${token}`,
      `/login?next=/${prefix}/${token}`,
    ]);
    const headers = { accept: "application/json", referer: `${server.base}/u/${token}` };
    for (const path of paths) {
      await call(server, "GET", path, { headers });
    }
    const lines = await collectLines(paths.length);
    assert.deepEqual(
      lines.filter((line) => JSON.stringify(line).toLowerCase().includes(token.toLowerCase())),
      [],
    );
  });
});
