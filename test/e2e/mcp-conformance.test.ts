import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createConformanceFixtures } from "#dev/conformance/fixtures.ts";
import { startAuthorizingProxy, type AuthorizingProxy } from "../support/authorizing-proxy.ts";
import { forEachEngine } from "../support/engines.ts";
import { startMcpServer, type TestMcpServer } from "../support/mcp.ts";
import { newStudio } from "../support/users.ts";
import { createTestGrant } from "../support/tokens.ts";

const suitePath = join(import.meta.dirname, "../../node_modules/@modelcontextprotocol/conformance/dist/index.js");

forEachEngine(
  "MCP conformance",
  (fixture) => {
    let server: TestMcpServer;
    let proxy: AuthorizingProxy;
    before(async () => {
      server = await startMcpServer(fixture, { extension: createConformanceFixtures(fixture.deps.newSecret) });
      const { token } = await createTestGrant(fixture.deps, await newStudio(fixture.deps));
      proxy = await startAuthorizingProxy(server.url, token);
    });
    after(async () => {
      await proxy.close();
      await server.close();
    });

    for (const version of ["2026-07-28", "2025-11-25"]) {
      test(`passes every conformance scenario that ${version} requires (M2, M11)`, async () => {
        const { code, output } = await runSuite(["server", "--url", proxy.url, "--requirements", version]);
        const [scoredLines = "", unscoredLines = ""] = (output.split("=== SUMMARY ===")[1] ?? output).split(
          "Not scored",
        );
        const failures = [...scoredLines.matchAll(/^✗ ([\w-]+)/gm)]
          .map(([, name]) => name)
          .filter((name) => !unscoredLines.includes(` ${name} (`));
        assert.deepEqual(failures, [], output);
        assert.equal(code, 0, output);
        assert.ok([...scoredLines.matchAll(/^✓/gm)].length >= 30, scoredLines);
        // Atelier does not support the tasks extension, and none of its tools declares headers that repeat parameters.
        assert.doesNotMatch(unscoredLines, /✗ (?!tasks-|http-custom-header)/, unscoredLines);
      });
    }
  },
  ["sqlite"],
);

async function runSuite(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [suitePath, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => void (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => void (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}
