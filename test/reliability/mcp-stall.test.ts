import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startMeasuredServer, type MeasuredServer } from "../../bench/measured-server.ts";
import { systemClock } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { callModern, modernMeta, newMcpClient, postMcp, type McpCaller } from "../support/mcp.ts";

const megabyte = 1024 * 1024;
const bodyBytes = 15 * megabyte;
const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "create_post" };
const createCall = (args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_post","arguments":${args},"_meta":${JSON.stringify(modernMeta)}}}`;

const hostileBodies: Record<string, () => string> = {
  "nested arrays": () => "[".repeat(7 * megabyte),
  "nested objects": () => '{"a":'.repeat(bodyBytes / 5),
  "nested in an argument": () => createCall(`{"title":${"[".repeat(bodyBytes / 2)}${"]".repeat(bodyBytes / 2)}}`),
  "400k keys": () => createCall(`{${Array.from({ length: 400_000 }, (_, i) => `"k${i}":1`).join(",")}}`),
  "many commas": () => createCall(`{"title":[${"1,".repeat(bodyBytes / 2 - 200)}1]}`),
  "20k long strings": () => createCall(`{"title":[${`"${"x".repeat(700)}",`.repeat(19_000)}1]}`),
  "one long string": () => createCall(`{"title":"${"x".repeat(bodyBytes)}"}`),
  "one long string of escapes": () => createCall(`{"title":"${"\\u0041".repeat(bodyBytes / 6)}"}`),
  "one long string of quotes": () => createCall(`{"title":"${'\\"'.repeat(bodyBytes / 2)}"}`),
  "wide characters": () => createCall(`{"title":"${"é😀".repeat(bodyBytes / 6)}"}`),
  "a long key": () => createCall(`{"${"k".repeat(bodyBytes)}":1}`),
  "a long number": () => createCall(`{"title":${"1".repeat(bodyBytes)}}`),
  "white space": () => `${" ".repeat(bodyBytes)}{}`,
  "100 KB of unusual characters": () =>
    createCall(`{"title":${JSON.stringify("\0\u2028\ud800 ﷺa\u0301".repeat(10_000))}}`),
};

forEachEngine(
  "event loop stall",
  (fixture) => {
    let server: MeasuredServer;
    let caller: McpCaller;
    before(async () => {
      server = await startMeasuredServer("ours", "servers/ours.ts", {
        BENCH_DATA_DIR: fixture.location.dataDir,
        BENCH_DATABASE_URL: "",
      });
      ({ caller } = await newMcpClient({ deps: { ...fixture.deps, clock: systemClock } }, server));
      await callModern(caller, "tools/list");
    });
    after(() => server.stop());

    // CPU time of the whole request is an upper bound of the stall, and depends less on the machine's load than elapsed time.
    for (const [name, body] of Object.entries(hostileBodies)) {
      test(`${name} blocks other requests for at most 250 ms (X4)`, async (t) => {
        const bytes = Buffer.from(body());
        const cpuBefore = await server.readCpuMicros();
        const response = await postMcp(caller, bytes, headers);
        const cpuMs = ((await server.readCpuMicros()) - cpuBefore) / 1000;
        t.diagnostic(`${cpuMs.toFixed(0)} ms of CPU, ${response.status}`);
        assert.ok(
          response.status === 400 || response.json.result?.isError === true,
          `${response.status} ${response.text.slice(0, 200)}`,
        );
        assert.ok(cpuMs <= 250, `${cpuMs} ms`);
      });
    }
  },
  ["sqlite"],
);
