import type { KyselyPlugin } from "kysely";
import type { Connection, Database } from "#db/database.ts";

/** What ran between the start and the end of a recording. */
export interface Recording {
  /** The rows that each statement returned or changed. */
  rowCounts: number[];
  /** The statements of each transaction. */
  transactionSizes: number[];
  /** The statements of each turn of the event loop in which any ran. Only on SQLite, whose statements block the loop. */
  turnSizes: number[];
}

export interface StatementRecorder {
  database: Database;
  record(work: () => Promise<unknown>): Promise<Recording>;
}

/** Wraps a database, to count the statements and rows of an operation. */
export function createStatementRecorder(original: Database): StatementRecorder {
  let turn = 0;
  let statements: { turn: number; rowCount: number }[] = [];
  let transactionSizes: number[] = [];

  function wrap<C extends Connection>(connection: C, countStatement: () => void): C {
    const add = (rowCount: number): void => {
      countStatement();
      statements.push({ turn, rowCount });
    };
    const plugin: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        add(Math.max(result.rows.length, Number(result.numAffectedRows ?? 0)));
        return result;
      },
    };
    return {
      ...connection,
      q: connection.q.withPlugin(plugin),
      async run(statement, params) {
        const rows = await connection.run(statement, params);
        add(rows.length);
        return rows;
      },
    };
  }

  const database: Database = {
    ...wrap(original, () => {}),
    async transact(work) {
      let size = 0;
      try {
        return await original.transact((tx) => work(wrap(tx, () => size++)));
      } finally {
        transactionSizes.push(size);
      }
    },
  };
  return {
    database,
    async record(work) {
      [statements, transactionSizes] = [[], []];
      let immediate: NodeJS.Immediate | undefined;
      const countTurn = (): void => {
        turn++;
        immediate = setImmediate(countTurn);
      };
      if (original.engine === "sqlite") countTurn();
      await work().finally(() => clearImmediate(immediate));
      return {
        rowCounts: statements.map(({ rowCount }) => rowCount),
        transactionSizes,
        turnSizes:
          original.engine === "sqlite"
            ? [...Map.groupBy(statements, (statement) => statement.turn).values()].map(({ length }) => length)
            : [],
      };
    },
  };
}
