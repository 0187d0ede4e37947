import { CompiledQuery, type KyselyPlugin } from "kysely";
import { statement, type Connection } from "#db/database.ts";
import type { Fixture } from "./engines.ts";

export interface QueryPlan {
  sql: string;
  /** The steps of the plan. */
  plan: string[];
}

type Row = Record<string, unknown>;

/** Records the queries that run on `connection`; `listPlans` returns their query plans, in order. */
export function recordPlans({ database, engine }: Fixture): {
  connection: Connection;
  listPlans(): Promise<QueryPlan[]>;
} {
  const explain = engine === "sqlite" ? "EXPLAIN QUERY PLAN" : "EXPLAIN";
  const explainers: ((tx: Connection) => Promise<QueryPlan>)[] = [];
  const toPlan = (sql: string, rows: Row[]): QueryPlan => ({
    sql,
    plan: rows.map((row) => String(row["detail"] ?? row["QUERY PLAN"])),
  });
  const recorder: KyselyPlugin = {
    transformQuery: ({ node }) => {
      explainers.push(async ({ q }) => {
        const { sql, parameters } = q.getExecutor().compileQuery(node, { queryId: "plan" });
        return toPlan(sql, (await q.executeQuery<Row>(CompiledQuery.raw(`${explain} ${sql}`, [...parameters]))).rows);
      });
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return {
    connection: {
      ...database,
      q: database.q.withPlugin(recorder),
      run(query, params) {
        const sql = engine === "sqlite" ? query.sqliteSql : query.sql;
        const explainQuery = statement<Row>(`${explain} ${sql}`);
        explainers.push(async (tx) => toPlan(sql, await tx.run(explainQuery, params)));
        return database.run(query, params);
      },
    },
    /** PostgreSQL scans small tables unless that is disabled; then a scan in a plan means that no index fits. */
    async listPlans() {
      const plans: QueryPlan[] = [];
      await database.transact(async (tx) => {
        if (engine === "postgres") await tx.q.executeQuery(CompiledQuery.raw("SET LOCAL enable_seqscan = off"));
        for (const explainQuery of explainers) plans.push(await explainQuery(tx));
      });
      return plans;
    },
  };
}
