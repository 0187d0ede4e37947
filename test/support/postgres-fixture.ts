import { after, before } from "node:test";
import type { Database } from "#db/database.ts";
import { openDatabase } from "#db/open-database.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { systemClock } from "#lib/clock.ts";
import { createDeps, createTemporaryDatabase, silentLog, type TemporaryDatabase } from "./engines.ts";
import { createPostgresCluster, findPostgres, type PostgresCluster } from "./postgres-cluster.ts";
import { newStudio } from "./users.ts";

/** A PostgreSQL server that the tests of a suite may stop, and a studio in a database on it. */
export interface PostgresFixture {
  cluster: PostgresCluster;
  location: TemporaryDatabase;
  database: Database;
  deps: Deps;
  owner: Caller;
}

export const skipWithoutPrograms: string | false = findPostgres() === undefined && "not installed: PostgreSQL";

/** Starts the server before the tests of a suite, and stops it after them. */
export function usePostgres(settings: Record<string, string | number> = {}): PostgresFixture {
  const fixture = {} as PostgresFixture;
  before(async () => {
    fixture.cluster = await createPostgresCluster(findPostgres() ?? "", settings);
    fixture.location = await createTemporaryDatabase("postgres", fixture.cluster.url());
    fixture.database = await openDatabase({ ...fixture.location, log: silentLog });
    fixture.deps = createDeps(fixture.database, systemClock);
    fixture.owner = await newStudio(fixture.deps);
  });
  after(async () => {
    await fixture.database?.close();
    await fixture.cluster?.remove();
  });
  return fixture;
}
