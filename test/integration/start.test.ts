import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, test } from "node:test";
import { createEmptyDatabase, getDatabaseSettings, skipWithoutPostgres } from "../support/engines.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { startMain } from "../support/main-process.ts";
import { startChildProgram } from "../support/child-program.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { waitUntil } from "../support/wait-until.ts";
import { skipWithout } from "../support/find-program.ts";

const mainPath = join(import.meta.dirname, "../../src/main.ts");

/** Starts the server as users do, and checks its output and its startup errors. */
describe("startup", () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanups.splice(0).toReversed()) await cleanUp();
  });

  function newFolder(): string {
    const folder = createTempFolder();
    cleanups.push(folder.remove);
    return folder.path;
  }

  test("exits if the port is in use, with the error on the last line", async () => {
    const portOwner = createServer().listen(0, "127.0.0.1");
    cleanups.push(() => portOwner.close());
    await once(portOwner, "listening");
    const port = String((portOwner.address() as AddressInfo).port);
    const folder = newFolder();
    const file = openSync(join(folder, "output"), "a"); // one file keeps the order of both streams
    const env = { PORT: port, DATA_DIR: join(folder, "data"), PATH: process.env["PATH"] ?? "" };
    const [code] = (await once(
      spawn(process.execPath, [mainPath], { env, stdio: ["ignore", file, file] }),
      "exit",
    )) as [number];
    closeSync(file);
    assert.equal(code, 1);
    const lines = readFileSync(join(folder, "output"), "utf8").trimEnd().split("\n");
    assert.match(lines.at(-1) ?? "", new RegExp(`^Atelier cannot start: port ${port} is already in use\\. Set PORT`));
    assert.ok(
      lines.slice(0, -1).some((line) => line.includes("database migrations applied")),
      lines.join("\n"),
    );
  });

  test(
    "creates the folder for the generated secret with PostgreSQL and without SECRETS",
    { skip: skipWithoutPostgres },
    async () => {
      const database = await createEmptyDatabase("postgres");
      cleanups.push(() => database.remove());
      const base = await findFreeBaseUrl();
      const dataDir = join(newFolder(), "not", "there", "yet");
      const env = { ...getDatabaseSettings(database), DATA_DIR: dataDir, PORT: new URL(base).port, BASE_URL: base };
      const service = await startMain(env);
      cleanups.push(() => service.kill());
      assert.equal((await fetch(`${base}/readyz`)).status, 200);
      assert.equal(statSync(dataDir).mode & 0o777, 0o700);
      assert.equal(statSync(join(dataDir, "secret")).mode & 0o777, 0o600);
    },
  );

  test(
    "names the settings to change if the folder for the generated secret cannot be created",
    { skip: skipWithoutPostgres },
    async () => {
      const database = await createEmptyDatabase("postgres");
      cleanups.push(() => database.remove());
      const file = join(newFolder(), "file");
      writeFileSync(file, "");
      const env = { ...getDatabaseSettings(database), DATA_DIR: join(file, "data"), PORT: "0" };
      const program = startChildProgram([mainPath], env);
      assert.equal(await program.exited, 1);
      assert.match(
        program.getOutput(),
        /failed to create the folder .*Set DATA_DIR to a folder that this account can write to, or set SECRETS\.\n$/,
      );
    },
  );

  test(
    "on a terminal, prints the greeting at the end of startup, then one line per request except for static files",
    { skip: skipWithout("script") },
    async () => {
      const base = await findFreeBaseUrl();
      const { port } = new URL(base);
      const dataDir = join(newFolder(), "data");
      const env = { PATH: process.env["PATH"] ?? "", SHELL: "/bin/sh", PORT: port, DATA_DIR: dataDir };
      const child = spawn("script", ["-qfec", `"${process.execPath}" "${mainPath}"`, "/dev/null"], {
        env,
        stdio: ["pipe", "pipe", "inherit"],
        detached: true, // its own process group, so that cleanup kills the server too
      });
      cleanups.push(() => {
        if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
      });
      let text = "";
      child.stdout.on("data", (chunk: Buffer) => void (text += chunk.toString().replaceAll("\r\n", "\n")));
      await waitUntil(() => text.includes("Ctrl-C\n\n"), { timeoutMs: 90_000, description: "the greeting" });
      assert.match(text, /^\d\d:\d\d:\d\d database migrations applied .*\n\n {2}Atelier is ready\.\n/);

      const page = await (await fetch(base, { headers: { accept: "text/html" } })).text();
      const script = /src="(\/[^"]+\.js)"/.exec(page)?.[1] ?? assert.fail("the page has no script");
      assert.equal((await fetch(`${base}${script}`)).status, 200);
      assert.equal((await fetch(`${base}/api/me`)).status, 401);
      assert.equal((await fetch(`${base}/api/%1b%5b2J\u009b2J`)).status, 404);
      const greetingEnd = text.indexOf("Ctrl-C\n\n") + "Ctrl-C\n\n".length;
      await waitUntil(() => text.endsWith(" -\n") && text.includes("[redacted]"), { description: "the last log line" });
      const lines = text.slice(greetingEnd).trimEnd().split("\n");
      assert.deepEqual(
        lines.map((line) => line.replace(/^\d\d:\d\d:\d\d /, "").replace(/\d+(\.\d+)? ms/, "N ms")),
        ["GET / 200 N ms -", "GET /api/me 401 N ms -", "GET /api/[redacted] 404 N ms -"],
      );
    },
  );
});
