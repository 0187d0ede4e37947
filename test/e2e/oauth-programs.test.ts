import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { tools } from "#mcp/tool-list.ts";
import { createHttpBrowser } from "../support/http-browser.ts";
import { createDeps, createTemporaryDatabase, silentLog } from "../support/engines.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { createStudio, openConsent } from "../support/oauth-client.ts";
import { startChildProgram } from "../support/child-program.ts";
import { findFreeBaseUrl, startService, type RunningService } from "../support/service.ts";

const modules = join(import.meta.dirname, "../../node_modules");
const inspector = join(modules, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const remote = join(modules, "mcp-remote/dist/proxy.js");
const toolNames = tools.map(({ name }) => name).toSorted();

/** Programs that people run, each signed in by a person at the address that it opens or prints. */
describe("oauth programs", () => {
  let service: RunningService;
  let close: () => Promise<void>;
  before(async () => {
    const location = await createTemporaryDatabase("sqlite");
    const database = await openDatabase({ ...location, log: silentLog });
    service = await startService(
      createDeps(database, () => Date.now()),
      { env: { RATE_LIMITS: "off" } },
    );
    close = async () => {
      await service.close();
      await database.close();
      await location.remove();
    };
  });
  after(() => close());

  /** Follows the address to the end, which is the program's own listener. */
  async function approve(url: string, email: string): Promise<void> {
    const browser = createHttpBrowser();
    const page = await openConsent(browser, url, email);
    await createStudio(service.base, browser);
    const done = await browser.submit(page, { decision: "approve" });
    assert.equal(done.status, 200, done.text);
  }

  const authorizeUrl = /https?:\/\/\S+\/api\/auth\/oauth2\/authorize\?\S+/;

  test("the Inspector's CLI lists and calls a tool, the second time by what it stored (REG-1)", async () => {
    const home = createTempFolder();
    const { port } = new URL(await findFreeBaseUrl());
    const run = (...args: string[]) =>
      startChildProgram(
        [
          ...[inspector, "--cli", `${service.base}/mcp`, "--transport", "http", "--format", "json"],
          ...["--callback-url", `http://127.0.0.1:${port}/oauth/callback`, ...args],
        ],
        {
          HOME: home.path,
          XDG_CONFIG_HOME: home.path,
          MCP_AUTO_OPEN_ENABLED: "true",
          MCP_INSPECTOR_SECRET_STORE: "file",
        },
      );
    const listing = run("--method", "tools/list");
    try {
      await approve(await listing.waitForMatch(authorizeUrl), "inspector@example.com");
      assert.equal(await listing.exited, 0, listing.getOutput());
      const { result } = JSON.parse(listing.getStdout()) as { result: { tools: { name: string }[] } };
      assert.deepEqual(result?.tools.map(({ name }) => name).toSorted(), toolNames, listing.getStdout());
    } finally {
      await listing.stop();
    }
    const calling = run("--method", "tools/call", "--tool-name", "whoami", "--stored-auth-only");
    try {
      assert.equal(await calling.exited, 0, calling.getOutput());
      assert.match(calling.getStdout(), /inspector@example\.com/);
    } finally {
      await calling.stop();
      home.remove();
    }
  });

  test("mcp-remote brings a client that only knows stdio to the tools (REG-1)", async () => {
    const home = createTempFolder();
    const { port } = new URL(await findFreeBaseUrl());
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [remote, `${service.base}/mcp`, port],
      env: { PATH: dirname(process.execPath), BROWSER: "true", HOME: home.path, MCP_REMOTE_CONFIG_DIR: home.path },
      stderr: "pipe",
    });
    let said = "";
    let approved: Promise<void> | undefined;
    transport.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const [url] = authorizeUrl.exec(said.slice(0, said.lastIndexOf("\n"))) ?? [];
      if (url !== undefined) approved ??= approve(url, "remote@example.com");
    });
    const client = new Client({ name: "test", version: "1" });
    try {
      await client.connect(transport, { timeout: 60_000 });
      await approved;
      const listed = await client.listTools();
      assert.deepEqual(listed.tools.map(({ name }) => name).toSorted(), toolNames, said);
      const who = await client.callTool({ name: "whoami", arguments: {} });
      assert.match(JSON.stringify(who.structuredContent), /remote@example\.com/);
    } finally {
      await client.close();
      home.remove();
    }
  });
});
