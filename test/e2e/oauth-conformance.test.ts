import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createHttpBrowser } from "../support/http-browser.ts";
import { forEachEngine } from "../support/engines.ts";
import { createStudio, registerClient, openConsent } from "../support/oauth-client.ts";
import { startChildProgram } from "../support/child-program.ts";
import { findFreeBaseUrl, startService } from "../support/service.ts";

const suite = join(import.meta.dirname, "../../node_modules/@modelcontextprotocol/conformance/dist/index.js");

forEachEngine(
  "oauth conformance",
  (fixture) => {
    test("passes the authorization scenarios of the conformance suite (META-2, AUTHZ-1, GRANT-2)", async () => {
      const service = await startService(fixture.deps, { env: { RATE_LIMITS: "off" } });
      const { base } = service;
      const { port } = new URL(await findFreeBaseUrl());
      const client = await registerClient(base, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
      const program = startChildProgram([
        ...[suite, "authorization", "--url", base, "--client-id", client.id],
        ...["--resource", `${base}/mcp`, "-p", port],
      ]);
      try {
        // The suite prints the authorization URL for the user, and waits for the redirect on its own port.
        const url = await program.waitForMatch(/https?:\/\/\S+\/authorize\?\S+/);
        const browser = createHttpBrowser();
        const page = await openConsent(browser, url, "conformance@example.com");
        await createStudio(base, browser);
        await browser.submit(page, { decision: "approve" });
        const code = await program.exited;
        const [, summary = ""] = program.getOutput().split("=== SUMMARY ===");
        assert.equal(code, 0, program.getOutput());
        assert.match(summary, /^✓ /m, program.getOutput());
        assert.doesNotMatch(program.getOutput(), /^✗|SKIPPED|WARNING/m, program.getOutput());
      } finally {
        await program.stop();
        await service.close();
      }
    });
  },
  ["sqlite"],
);
