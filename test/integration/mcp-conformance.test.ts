import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createConformanceFixtures } from "#dev/conformance/fixtures.ts";
import { startAuthorizingProxy, type AuthorizingProxy } from "../support/authorizing-proxy.ts";
import { startChildProgram } from "../support/child-program.ts";
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

    for (const [title, args, minScenarios] of [
      ["that 2026-07-28 requires, and its extensions", ["--requirements", "2026-07-28"], 50],
      ["that 2025-11-25 requires", ["--requirements", "2025-11-25"], 33],
      ["of the suite, scored or not", ["--suite", "all"], 65],
    ] as const)
      test(`passes every conformance scenario ${title} (M2, M11, TASK-1)`, async () => {
        const program = startChildProgram([suitePath, "server", "--url", proxy.url, ...args]);
        const code = await program.exited;
        const [, summary = ""] = program.getOutput().split("=== SUMMARY ===");
        assert.equal(code, 0, program.getOutput());
        const passedCount = summary.match(/^✓ [\w-]+: \d+ passed/gm)?.length ?? 0;
        assert.ok(passedCount >= minScenarios, `${passedCount} scenarios\n${summary}`);
      });
  },
  ["sqlite"],
);
