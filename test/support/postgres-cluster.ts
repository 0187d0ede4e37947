import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chownSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { onExit } from "./at-exit.ts";
import { createTempFolder } from "./temp-folder.ts";
import { findFreePort } from "./free-ports.ts";
import { isExecutable, listPathFolders } from "./find-program.ts";
import { waitUntil } from "./wait-until.ts";

/** A temporary PostgreSQL server, started with the installed programs. */
export interface PostgresCluster {
  /** Returns the URL of a database, by default `postgres`, with the superuser's credentials. */
  url(database?: string): string;
  /** The server's main process. */
  readonly pid: number;
  /** Stops the server: `fast` shuts down cleanly, `immediate` simulates a crash. */
  stop(mode?: "fast" | "immediate"): Promise<void>;
  /** Starts the server again on the same port; resolves when it accepts connections. */
  start(): Promise<void>;
  /** Stops the server and deletes its folder. */
  remove(): Promise<void>;
}

const user = "atelier";

/** Returns the folder with the newest `initdb` and `postgres`; undefined if PostgreSQL is not installed. */
export function findPostgres(): string | undefined {
  const pathFolders = listPathFolders();
  const debianFolders = pathFolders.flatMap((pathFolder) => {
    const folder = join(pathFolder, "../lib/postgresql");
    const versions = listFolder(folder).toSorted((a, b) => Number(b) - Number(a));
    return versions.map((version) => join(folder, version, "bin"));
  });
  return [...debianFolders, ...pathFolders].find((folder) =>
    ["initdb", "postgres"].every((program) => isExecutable(join(folder, program))),
  );
}

/** `settings` are parameters of postgresql.conf. */
export async function createPostgresCluster(
  programFolder: string,
  settings: Record<string, string | number> = {},
): Promise<PostgresCluster> {
  const folder = createTempFolder("atelier-pg-");
  const identity = getServerIdentity();
  if (identity.uid !== undefined && identity.gid !== undefined) chownSync(folder.path, identity.uid, identity.gid);
  const spawnOptions = { ...identity, cwd: folder.path, env: { PATH: process.env["PATH"], LC_ALL: "C" } };
  const dataFolder = join(folder.path, "data");
  // A password instead of `trust`, because other users of the machine can reach the port.
  const password = randomBytes(24).toString("hex");
  const passwordFile = join(folder.path, "password");
  writeFileSync(passwordFile, password, { mode: 0o644 });

  const port = await findFreePort();
  const log: string[] = [];
  let server: ChildProcess | undefined;
  const unregister = onExit(() => server?.kill("SIGQUIT"));

  const cluster: PostgresCluster = {
    url: (database = "postgres") => `postgres://${user}:${password}@127.0.0.1:${port}/${database}`,
    get pid() {
      return server?.pid ?? 0;
    },
    async start() {
      const serverSettings = {
        listen_addresses: "127.0.0.1",
        port,
        unix_socket_directories: folder.path,
        max_connections: 200,
        ...settings,
      };
      const args = Object.entries(serverSettings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
      server = spawn(join(programFolder, "postgres"), ["-D", dataFolder, ...args], {
        ...spawnOptions,
        stdio: ["ignore", "ignore", "pipe"],
      });
      server.stderr?.on("data", (chunk: Buffer) => void (log.push(chunk.toString()) > 200 && log.shift()));
      const isReady = (): Promise<boolean> => {
        if (server?.exitCode !== null) throw new Error(`PostgreSQL did not start:\n${log.join("")}`);
        return canConnect(cluster.url());
      };
      await waitUntil(isReady, { timeoutMs: 30_000, intervalMs: 50, description: "PostgreSQL accepts connections" });
    },
    async stop(mode = "fast") {
      if (server?.exitCode !== null || server.signalCode !== null) return;
      const exited = once(server, "exit");
      server.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
      await exited;
    },
    async remove() {
      await cluster.stop("immediate"); // no checkpoint needed, because the data is deleted
      folder.remove();
      unregister();
    },
  };

  try {
    const auth = ["-U", user, "-A", "scram-sha-256", `--pwfile=${passwordFile}`];
    const initdb = spawn(
      join(programFolder, "initdb"),
      ["-D", dataFolder, "-E", "UTF8", "--no-locale", "--no-sync", ...auth],
      {
        ...spawnOptions,
        stdio: ["ignore", "ignore", "pipe"],
      },
    );
    initdb.stderr?.on("data", (chunk: Buffer) => log.push(chunk.toString()));
    const [code] = (await once(initdb, "close")) as [number | null];
    if (code !== 0) throw new Error(`initdb failed:\n${log.join("")}`);
    await cluster.start();
    return cluster;
  } catch (error) {
    await cluster.remove();
    throw error;
  }
}

/** PostgreSQL cannot run as root. If this process does, the server runs as the user that its package created. */
export function getServerIdentity(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const accounts = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const account = accounts.find(([name]) => name === "postgres") ?? accounts.find(([name]) => name === "nobody");
  if (!account) throw new Error("PostgreSQL cannot run as root, and neither a postgres nor a nobody user exists");
  return { uid: Number(account[2]), gid: Number(account[3]) };
}

/** Whether the server accepts connections and runs queries. */
export async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("SELECT 1");
    await client.end();
    return true;
  } catch {
    return false;
  }
}

function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
