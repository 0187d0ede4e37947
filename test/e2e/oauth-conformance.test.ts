import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createBrowser } from "../support/browser-less.ts";
import { forEachEngine } from "../support/engines.ts";
import { createStudio, newClient, openConsent } from "../support/oauth-client.ts";
import { startProgram } from "../support/program.ts";
import { freeBase, startService } from "../support/service.ts";

const suite = join(import.meta.dirname, "../../node_modules/@modelcontextprotocol/conformance/dist/index.js");

forEachEngine(
  "oauth conformance",
  (bed) => {
    test("[META-2] [AUTHZ-1] [GRANT-2] the authorization scenarios of the conformance suite pass", async () => {
      const service = await startService(bed.deps, { env: { RATE_LIMITS: "off" } });
      const { base } = service;
      const { port } = new URL(await freeBase());
      const client = await newClient(base, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
      const program = startProgram([
        ...[suite, "authorization", "--url", base, "--client-id", client.id],
        ...["--resource", `${base}/mcp`, "-p", port],
      ]);
      try {
        // The suite prints the address for a person, and waits for the answer at its own port.
        const url = await program.find(/https?:\/\/\S+\/authorize\?\S+/);
        const browser = createBrowser();
        const page = await openConsent(browser, url, "conformance@example.com");
        await createStudio(base, browser);
        await browser.submit(page, { decision: "approve" });
        const code = await program.ended;
        const [, summary = ""] = program.output().split("=== SUMMARY ===");
        assert.equal(code, 0, program.output());
        assert.match(summary, /^✓ /m, program.output());
        assert.doesNotMatch(program.output(), /^✗|SKIPPED|WARNING/m, program.output());
      } finally {
        await program.stop();
        await service.close();
      }
    });
  },
  ["sqlite"],
);
