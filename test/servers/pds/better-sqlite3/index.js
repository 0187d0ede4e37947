import { DatabaseSync } from "node:sqlite";

/** The part of better-sqlite3 that the PDS uses, without a native module. */
export default class Database extends DatabaseSync {
  pragma(text) {
    this.exec(`PRAGMA ${text}`);
  }

  prepare(sql) {
    const statement = super.prepare(sql);
    const reader = statement.columns().length > 0;
    return {
      reader,
      all: (parameters) => statement.all(...parameters),
      run: (parameters) => statement.run(...parameters),
      iterate: (parameters) => statement.iterate(...parameters),
    };
  }
}
