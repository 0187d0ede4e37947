import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import { systemClock } from "#lib/clock.ts";
import { tools } from "#mcp/tool-list.ts";
import { createDeps, createTemporaryDatabase, silentLog } from "../support/engines.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { allowAccess, registerClient } from "../support/oauth-client.ts";
import { startChildProgram } from "../support/child-program.ts";
import { findFreeBaseUrl, startService, type RunningService } from "../support/service.ts";

const moduleFolder = join(import.meta.dirname, "../../node_modules");
const inspector = join(moduleFolder, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const conformance = join(moduleFolder, "@modelcontextprotocol/conformance/dist/index.js");
const remote = join(moduleFolder, "mcp-remote/dist/proxy.js");
const toolNames = tools.map(({ name }) => name).toSorted();

/** Command-line programs that open or print a URL, where the user signs in. */
describe("oauth command-line programs", () => {
  let service: RunningService;
  let close: () => Promise<void>;
  before(async () => {
    const location = await createTemporaryDatabase("sqlite");
    const database = await openDatabase({ ...location, log: silentLog });
    service = await startService(createDeps(database, systemClock), { env: { RATE_LIMITS: "off" } });
    close = async () => {
      await service.close();
      await database.close();
      await location.remove();
    };
  });
  after(() => close());

  const authorizeUrl = /https?:\/\/\S+\/api\/auth\/oauth2\/authorize\?\S+/;

  test("the Inspector's CLI lists tools, then calls one with its stored token (REG-1)", async () => {
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
    const listProgram = run("--method", "tools/list");
    try {
      await allowAccess(service.base, await listProgram.waitForMatch(authorizeUrl), "inspector@example.com");
      assert.equal(await listProgram.exited, 0, listProgram.getOutput());
      const { result } = JSON.parse(listProgram.getStdout()) as { result: { tools: { name: string }[] } };
      assert.deepEqual(result?.tools.map(({ name }) => name).toSorted(), toolNames, listProgram.getStdout());
    } finally {
      await listProgram.stop();
    }
    const callProgram = run("--method", "tools/call", "--tool-name", "whoami", "--stored-auth-only");
    try {
      assert.equal(await callProgram.exited, 0, callProgram.getOutput());
      assert.match(callProgram.getStdout(), /inspector@example\.com/);
    } finally {
      await callProgram.stop();
      home.remove();
    }
  });

  test("mcp-remote connects a client that supports only stdio (REG-1)", async () => {
    const home = createTempFolder();
    const { port } = new URL(await findFreeBaseUrl());
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [remote, `${service.base}/mcp`, port],
      env: { PATH: dirname(process.execPath), BROWSER: "true", HOME: home.path, MCP_REMOTE_CONFIG_DIR: home.path },
      stderr: "pipe",
    });
    let output = "";
    let consent: Promise<void> | undefined;
    transport.stderr?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const [url] = authorizeUrl.exec(output.slice(0, output.lastIndexOf("\n"))) ?? [];
      if (url !== undefined) consent ??= allowAccess(service.base, url, "remote@example.com");
    });
    const client = new Client({ name: "test", version: "1" });
    try {
      await client.connect(transport, { timeout: 60_000 });
      await consent;
      const list = await client.listTools();
      assert.deepEqual(list.tools.map(({ name }) => name).toSorted(), toolNames, output);
      const identity = await client.callTool({ name: "whoami", arguments: {} });
      assert.match(JSON.stringify(identity.structuredContent), /remote@example\.com/);
    } finally {
      await client.close();
      home.remove();
    }
  });

  test("passes the authorization scenarios of the conformance suite (META-2, AUTHZ-1, GRANT-2)", async () => {
    const { base } = service;
    const { port } = new URL(await findFreeBaseUrl());
    const client = await registerClient(base, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
    const program = startChildProgram([
      ...[conformance, "authorization", "--url", base, "--client-id", client.id],
      ...["--resource", `${base}/mcp`, "-p", port],
    ]);
    try {
      // The suite prints the authorization URL for the user, and waits for the redirect on its own port.
      await allowAccess(base, await program.waitForMatch(/https?:\/\/\S+\/authorize\?\S+/), "conformance@example.com");
      assert.equal(await program.exited, 0, program.getOutput());
      const [, summary = ""] = program.getOutput().split("=== SUMMARY ===");
      assert.match(summary, /^✓ /m, program.getOutput());
      assert.doesNotMatch(program.getOutput(), /^✗|SKIPPED|WARNING/m, program.getOutput());
    } finally {
      await program.stop();
    }
  });
});
