import { createCluster, findPostgres } from "./cluster.ts";

/** Something a suite uses that npm does not bring. */
export interface Need {
  name: string;
  /** What is left untested without it. */
  untested: string;
  /** The line that would bring it. */
  bring: string;
  /** Starts it for the time of the run; undefined where this machine does not have it. */
  provide: () => Promise<Provided | undefined>;
}

export interface Provided {
  env: Record<string, string>;
  stop: () => Promise<void>;
}

/** A later suite that needs an S3 server or a browser adds a row. */
export const needs: readonly Need[] = [
  {
    name: "PostgreSQL",
    untested: "everything on PostgreSQL: the integration suites ran on SQLite only",
    bring: "apt-get install postgresql",
    async provide() {
      const own = process.env["TEST_DATABASE_URL"];
      if (own) return { env: { TEST_DATABASE_URL: own }, stop: async () => {} };
      const programs = findPostgres();
      if (!programs) return undefined;
      // The tests kill processes, not the machine: what the system holds in memory survives them.
      const cluster = await createCluster(programs, { fsync: "off", full_page_writes: "off" });
      return { env: { TEST_DATABASE_URL: cluster.url() }, stop: cluster.remove };
    },
  },
  {
    name: "PostgreSQL's own programs",
    untested: "a PostgreSQL that restarts, falls silent or runs full: those tests start a server of their own",
    bring: "apt-get install postgresql",
    provide: async () => (findPostgres() ? { env: {}, stop: async () => {} } : undefined),
  },
];
