import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "./find-program.ts";
import { isServing, startServerProgram } from "./server-program.ts";
import { createTempFolder } from "./temp-folder.ts";

export interface Haproxy {
  stop(): Promise<void>;
}

/**
 * Starts HAProxy with a file of `deploy/`. Replaces only where it listens (without TLS), its servers, the number of
 * connections and, unless this process is root, its user. Resolves when a request to `readyPath` succeeds.
 */
export async function startHaproxy(
  file: string,
  port: number,
  serverPorts: readonly number[],
  readyPath: string,
  adapt: (config: string) => string = (config) => config,
): Promise<Haproxy> {
  const folder = createTempFolder("atelier-haproxy-");
  const configPath = join(folder.path, "haproxy.cfg");
  writeFileSync(configPath, adapt(renderConfig(file, port, serverPorts)));
  const isReady = () => isServing(`http://127.0.0.1:${port}${readyPath}`);
  const program = await startServerProgram(findProgram("haproxy") ?? "", ["-f", configPath, "-db"], isReady);
  return {
    async stop() {
      await program.stop();
      folder.remove();
    },
  };
}

function renderConfig(file: string, port: number, serverPorts: readonly number[]): string {
  const remainingPorts = [...serverPorts];
  const config = readFileSync(join(import.meta.dirname, "../../deploy", file), "utf8")
    .replace(/^ +maxconn .*$/m, "  maxconn 1000")
    .replace(/^ +bind .*$/m, `  bind 127.0.0.1:${port}`)
    .replaceAll(/(?<=^ +server \S+ )\S+/gm, () => `127.0.0.1:${remainingPorts.shift()}`);
  if (remainingPorts.length > 0 || config.includes("undefined"))
    throw new Error(`${file} does not have ${serverPorts.length} servers`);
  return process.getuid?.() === 0 ? config : removeUser(config);
}

/** Only root can change the user that HAProxy runs as. */
export const removeUser = (config: string): string => config.replaceAll(/^ +(?:user|group) .*\n/gm, "");
