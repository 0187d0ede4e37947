import { chownSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "./free-ports.ts";
import { canConnect, getServerIdentity } from "./postgres-cluster.ts";
import { startServerProgram } from "./server-program.ts";
import { createTempFolder } from "./temp-folder.ts";

/** PgBouncer in transaction mode, in front of all databases of a server. */
export interface PgBouncer {
  /** The URL of the database `postgres`, with the credentials from `serverUrl`. */
  url: string;
  stop(): Promise<void>;
}

/** Fewer than the ten connections that a process opens, so that its transactions share sessions. */
export const poolSize = 5;

/** Starts PgBouncer with `deploy/pgbouncer.ini`. Consecutive transactions of a client run in different sessions. */
export async function startPgBouncer(program: string, serverUrl: string): Promise<PgBouncer> {
  const folder = createTempFolder("atelier-pgbouncer-");
  const toPath = (name: string) => join(folder.path, name);
  const server = new URL(serverUrl);
  const port = await findFreePort();
  writeFileSync(toPath("userlist.txt"), `"${server.username}" "${server.password}"\n`);
  writeFileSync(
    toPath("pgbouncer.ini"),
    replaceEach(readFileSync(join(import.meta.dirname, "../../deploy/pgbouncer.ini"), "utf8"), [
      [
        "atelier = host=127.0.0.1 port=5432 dbname=atelier",
        `* = host=${server.hostname} port=${server.port || "5432"}`,
      ],
      [
        "listen_port = 6432",
        `listen_port = ${port}\nserver_round_robin = 1\nlog_connections = 0\nlog_disconnections = 0`,
      ],
      ["/etc/pgbouncer/userlist.txt", toPath("userlist.txt")],
      ["default_pool_size = 20", `default_pool_size = ${poolSize}`],
    ]),
  );
  // Like PostgreSQL, PgBouncer cannot run as root.
  const identity = getServerIdentity();
  if (identity.uid !== undefined && identity.gid !== undefined)
    for (const path of [folder.path, toPath("userlist.txt"), toPath("pgbouncer.ini")])
      chownSync(path, identity.uid, identity.gid);
  const url = new URL(server);
  [url.hostname, url.port, url.pathname] = ["127.0.0.1", String(port), "/postgres"];
  const options = { ...identity, cwd: folder.path };
  const isReady = () => canConnect(url.href);
  const pooler = await startServerProgram(program, ["-q", toPath("pgbouncer.ini")], isReady, options);
  return {
    url: url.href,
    async stop() {
      await pooler.stop();
      folder.remove();
    },
  };
}

/** Replaces the first occurrence of each text; throws if one is missing. */
function replaceEach(text: string, replacements: readonly (readonly [string, string])[]): string {
  return replacements.reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`deploy/pgbouncer.ini does not contain ${from}`);
    return result.replace(from, to);
  }, text);
}
