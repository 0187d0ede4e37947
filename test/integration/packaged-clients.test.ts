import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { tools } from "#mcp/tool-list.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { startMain, type MainProcess } from "../support/main-process.ts";
import { allowAccess } from "../support/oauth-client.ts";
import { startChildProgram, type ChildProgram, type ProgramOptions } from "../support/child-program.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { waitUntil } from "../support/wait-until.ts";
import { skipInShortRun } from "../support/long-run.ts";

/** The releases that docs/clients.md names. They are not in the lockfile: together they take 900 MB. */
const releases = {
  codex: "@openai/codex@0.166.0",
  gemini: "@google/gemini-cli@0.61.0",
  opencode: "opencode-ai@1.18.33",
} as const;

const toolNames = tools.map(({ name }) => name).toSorted();
const authorizeUrl = /http:\/\/\S+\/api\/auth\/oauth2\/authorize\?\S+/;
const slowProgram = { timeoutMs: 120_000, intervalMs: 100 };

test("docs/clients.md names the tested releases", () => {
  const text = readFileSync(join(import.meta.dirname, "../../docs/clients.md"), "utf8");
  for (const release of Object.values(releases)) assert.ok(text.includes(release), release);
});

/** Command-line clients as users install them from npm. They sign in and list tools without a model. */
describe("packaged clients", { skip: skipInShortRun }, () => {
  const folder = createTempFolder();
  let service: MainProcess;
  let base: string;
  before(async () => {
    base = await findFreeBaseUrl();
    service = await startMain({
      PORT: new URL(base).port,
      DATA_DIR: join(folder.path, "data"),
      CLIENT_DOCUMENTS: "off",
    });
    const opener = join(folder.path, "bin/xdg-open");
    mkdirSync(dirname(opener));
    writeFileSync(opener, `#!/bin/sh\nprintf %s "$1" > "$HOME/opened-url"\n`);
    chmodSync(opener, 0o755);
  });
  after(async () => {
    await service.kill();
    folder.remove();
  });

  /** Installs a release, and returns functions that run it with its own home folder and no network except loopback. */
  function install(name: keyof typeof releases) {
    const home = join(folder.path, name);
    const cwd = join(home, "project"); // clients treat the home folder itself differently
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(home, "package.json"), "{}");
    execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", releases[name]], {
      cwd: home,
      stdio: "ignore",
    });
    const unreachableProxy = "http://127.0.0.1:9";
    const env = {
      PATH: [join(folder.path, "bin"), dirname(process.execPath), "/usr/bin", "/bin"].join(":"),
      HOME: home,
      TERM: "xterm-256color",
      DISPLAY: ":0", // Gemini opens no browser without a display
      HTTP_PROXY: unreachableProxy,
      HTTPS_PROXY: unreachableProxy,
      NO_PROXY: "localhost,127.0.0.1",
      GEMINI_API_KEY: "none",
      GEMINI_CLI_NO_RELAUNCH: "true",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    };
    const start = (args: readonly string[], options: ProgramOptions = {}): ChildProgram =>
      startChildProgram(args, env, { cwd, ...options });
    const run = async (args: readonly string[], options?: ProgramOptions): Promise<string> => {
      const program = start(args, options);
      assert.equal(await program.exited, 0, program.getOutput());
      return program.getOutput();
    };
    return { home, start, run };
  }

  /** Returns the latest authenticated `tools/list` request in the service's log. */
  const findLastListing = (): string | undefined =>
    service
      .getOutput()
      .split("\n")
      .findLast((line) => line.includes('"tools/list"') && line.includes('"status":200') && line.includes('"userId"'));

  test("Codex registers, signs in and lists the tools (REG-1, VAR-CLIENT_DOCUMENTS)", async () => {
    const { home, start, run } = install("codex");
    const codex = join(home, "node_modules/@openai/codex/bin/codex.js");
    const addCommand = start([codex, "mcp", "add", "atelier", "--url", `${base}/mcp`]);
    await allowAccess(base, await addCommand.waitForMatch(authorizeUrl), "codex@example.com");
    assert.equal(await addCommand.exited, 0, addCommand.getOutput());
    assert.match(await run([codex, "mcp", "list"]), /atelier.*OAuth/);

    const server = start([codex, "app-server"], { isInteractive: true });
    const send = (message: object): void => server.write(`${JSON.stringify(message)}\n`);
    try {
      send({ id: 1, method: "initialize", params: { clientInfo: { name: "atelier-test", version: "1" } } });
      await server.waitForMatch(/^\{"id":1,.*$/m);
      send({ method: "initialized" });
      send({ id: 2, method: "mcpServerStatus/list", params: {} });
      const { result } = JSON.parse(await server.waitForMatch(/^\{"id":2,.*\}$/m)) as {
        result: { data: { name: string; tools: object }[] };
      };
      const status = result.data.find(({ name }) => name === "atelier");
      assert.deepEqual(Object.keys(status?.tools ?? {}).toSorted(), toolNames);
    } finally {
      await server.stop();
    }
  });

  test("OpenCode registers, signs in and lists the tools (REG-1)", async () => {
    const { home, start, run } = install("opencode");
    // OpenCode's install script would choose one of these builds; the baseline build runs on every CPU.
    const [command = ""] = globSync(join(home, "node_modules/opencode-linux-*/bin/opencode")).toSorted(
      (a, b) => Number(b.includes("baseline")) - Number(a.includes("baseline")),
    );
    await run(["mcp", "add", "atelier", "--url", `${base}/mcp`], { command });
    const authCommand = start(["mcp", "auth", "atelier"], { command });
    await allowAccess(base, await authCommand.waitForMatch(authorizeUrl), "opencode@example.com");
    assert.equal(await authCommand.exited, 0, authCommand.getOutput());
    assert.match(authCommand.getOutput(), /Authentication successful/);
    // No OpenCode command prints tool names without a model.
    const listingBefore = findLastListing();
    assert.match(await run(["mcp", "list"], { command }), /atelier.*connected/);
    await waitUntil(() => (findLastListing() ?? listingBefore) !== listingBefore);
  });

  test("Gemini CLI registers, signs in and lists the tools (REG-1)", async () => {
    const { home, start, run } = install("gemini");
    const gemini = join(home, "node_modules/@google/gemini-cli/bundle/gemini.js");
    await run([gemini, "mcp", "add", "--scope", "user", "--transport", "http", "atelier", `${base}/mcp`]);
    const settingsFile = join(home, ".gemini/settings.json");
    const settings = JSON.parse(readFileSync(settingsFile, "utf8")) as object;
    const security = { auth: { selectedType: "gemini-api-key" } };
    writeFileSync(settingsFile, JSON.stringify({ ...settings, security }));
    // Gemini signs in only in interactive mode, which needs a terminal.
    const terminal = `stty cols 120 rows 50; exec ${process.execPath} ${gemini}`;
    const chat = start(["-qfec", terminal, "/dev/null"], {
      command: "script",
      isInteractive: true,
      stopSignal: "SIGTERM",
    });
    const openedUrl = join(home, "opened-url");
    const readScreen = (): string => stripVTControlCharacters(chat.getOutput());
    /** Presses Enter until it takes effect: Gemini treats Enter right after other keys as part of a paste. */
    const pressEnterUntil = async (hasEffect: () => boolean): Promise<void> => {
      const timer = setInterval(() => chat.write("\r"), 3000);
      await waitUntil(hasEffect, slowProgram).finally(() => clearInterval(timer));
    };
    try {
      await chat.waitForMatch(/1 MCP server[^]*Type your message/);
      // Types the line until Gemini completes it. Before its commands are loaded, Gemini would send it to the model.
      const clearLine = "\u0015";
      const timer = setInterval(() => chat.write(`${clearLine}/mcp auth atelier`), 5000);
      await waitUntil(() => /\n +atelier *\r?\n/.test(readScreen()), slowProgram).finally(() => clearInterval(timer));
      // Enter also lets Gemini open a browser.
      await pressEnterUntil(() => existsSync(openedUrl));
      await allowAccess(base, readFileSync(openedUrl, "utf8"), "gemini@example.com");
      await chat.waitForMatch(/reloaded tools for 'atelier'/);
      chat.write("/mcp list");
      await pressEnterUntil(() => toolNames.every((name) => chat.getOutput().includes(`mcp_atelier_${name}`)));
    } catch (error) {
      throw new Error(readScreen().slice(-3000), { cause: error });
    } finally {
      await chat.stop();
    }
    assert.match(await run([gemini, "mcp", "list"]), /atelier.*Connected/);
  });
});
