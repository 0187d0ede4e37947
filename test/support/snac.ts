import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChildProgram } from "./child-program.ts";
import { startFaultyProxy, type FaultyProxy } from "./faulty-proxy.ts";
import { findProgram } from "./find-program.ts";
import { findFreePort } from "./free-ports.ts";
import { isServing } from "./server-program.ts";
import { createTempFolder } from "./temp-folder.ts";
import { waitUntil } from "./wait-until.ts";

/** A temporary snac server, which implements the Mastodon API, behind a proxy that injects faults. */
export interface Snac {
  /** The proxy's URL, which is also the server's public URL. */
  instanceUrl: string;
  proxy: FaultyProxy;
  user: { name: string; password: string };
  stop(): Promise<void>;
}

export async function startSnac(): Promise<Snac> {
  const folder = createTempFolder("atelier-snac-");
  const dataFolder = join(folder.path, "data");
  const port = await findFreePort();
  const proxy = await startFaultyProxy(`http://127.0.0.1:${port}`);
  const host = new URL(proxy.endpoint).host;

  // The input that `snac init` asks for: IP address, port, host name, URL prefix, admin email.
  runSnac(["init", dataFolder], `127.0.0.1\n${port}\n${host}\n\n\n`);
  const configPath = join(dataFolder, "server.json");
  const config = JSON.parse(readFileSync(configPath, "utf8")) as Record<string, unknown>;
  writeFileSync(configPath, JSON.stringify({ ...config, protocol: "http" }));
  const password = /password is (\S+)/.exec(runSnac(["adduser", dataFolder, "ada"], "\n"))?.[1];
  if (password === undefined) throw new Error("snac did not print the password of the new user");

  const server = startChildProgram(
    ["httpd", dataFolder],
    {},
    { command: findProgram("snac") ?? "snac", stopSignal: "SIGTERM" },
  );
  const isReady = () => isServing(`http://127.0.0.1:${port}/api/v1/instance`);
  await waitUntil(isReady, { description: "snac responds" });
  return {
    instanceUrl: proxy.endpoint,
    proxy,
    user: { name: "ada", password },
    async stop() {
      await server.stop();
      await proxy.close();
      folder.remove();
    },
  };
}

function runSnac(args: readonly string[], input: string): string {
  const { status, stdout, stderr, error } = spawnSync("snac", args, { input, encoding: "utf8" });
  if (status !== 0) throw new Error(`snac ${args[0]} failed: ${error?.message ?? ""}${stdout}${stderr}`);
  return `${stdout}${stderr}`;
}
