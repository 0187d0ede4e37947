import { sql, type RawBuilder } from "kysely";

/** One of these columns holds the text, whatever the case of A to Z. For lists that nobody but the operator reads. */
export function containsText(columns: readonly string[], text: string): RawBuilder<boolean> {
  const pattern = `%${escapeLike(text.toLowerCase())}%`;
  return sql<boolean>`(${sql.join(
    columns.map((column) => sql`LOWER(${sql.ref(column)}) LIKE ${pattern} ESCAPE '!'`),
    sql` OR `,
  )})`;
}

/** Text that LIKE takes letter by letter, with `ESCAPE '!'`. */
function escapeLike(text: string): string {
  return text.replace(/[!%_]/g, "!$&");
}
