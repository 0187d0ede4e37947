import { CompiledQuery, type DatabaseConnection, type Dialect, type Driver } from "kysely";

/** The few things a query builder needs of an engine; the rest is the same for both. */
export interface Link extends DatabaseConnection {
  release(): void;
}

/** A Kysely dialect whose connections come from `acquire` and whose transactions begin with `begin`. */
export function createDialect(parts: {
  acquire: () => Promise<Link>;
  begin: string;
  like: Pick<Dialect, "createAdapter" | "createIntrospector" | "createQueryCompiler">;
}): Dialect {
  const driver: Driver = {
    init: async () => {},
    acquireConnection: parts.acquire,
    beginTransaction: async (link) => void (await link.executeQuery(CompiledQuery.raw(parts.begin))),
    commitTransaction: async (link) => void (await link.executeQuery(CompiledQuery.raw("commit"))),
    rollbackTransaction: async (link) => void (await link.executeQuery(CompiledQuery.raw("rollback"))),
    releaseConnection: async (link) => (link as Link).release(),
    destroy: async () => {},
  };
  return {
    createDriver: () => driver,
    createAdapter: () => parts.like.createAdapter(),
    createIntrospector: (db) => parts.like.createIntrospector(db),
    createQueryCompiler: () => parts.like.createQueryCompiler(),
  };
}

export function noStreaming(): never {
  throw new Error("queries are not streamed");
}
