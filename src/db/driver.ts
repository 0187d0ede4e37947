import { CompiledQuery, type DatabaseConnection, type Dialect, type Driver } from "kysely";

/** The few things a query builder needs of an engine; the rest is the same for both. */
export interface DriverConnection extends DatabaseConnection {
  release(): void;
}

/** A Kysely dialect whose connections come from `acquire` and whose transactions begin with `begin`. */
export function createDialect(options: {
  acquire: () => Promise<DriverConnection>;
  begin: string;
  like: Pick<Dialect, "createAdapter" | "createIntrospector" | "createQueryCompiler">;
}): Dialect {
  const driver: Driver = {
    init: async () => {},
    acquireConnection: options.acquire,
    beginTransaction: async (connection) => void (await connection.executeQuery(CompiledQuery.raw(options.begin))),
    commitTransaction: async (connection) => void (await connection.executeQuery(CompiledQuery.raw("commit"))),
    rollbackTransaction: async (connection) => void (await connection.executeQuery(CompiledQuery.raw("rollback"))),
    releaseConnection: async (connection) => (connection as DriverConnection).release(),
    destroy: async () => {},
  };
  return {
    createDriver: () => driver,
    createAdapter: () => options.like.createAdapter(),
    createIntrospector: (db) => options.like.createIntrospector(db),
    createQueryCompiler: () => options.like.createQueryCompiler(),
  };
}

export function rejectStreaming(): never {
  throw new Error("queries are not streamed");
}
