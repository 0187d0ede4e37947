import { sql, type Selectable } from "kysely";
import type { Publication, PublicationWithNames } from "#domain/model/publication.ts";
import type { PublicationChange } from "#domain/ports/publications.ts";
import { fromStoredProgress, toStoredProgress } from "#domain/model/publication-progress.ts";
import type { Schema } from "./schema.ts";

export type PublicationRow = Selectable<Schema["publications"]>;

/** Returns only the columns of the fields that the change contains. */
export const toColumns = ({ digest, problem, progress, ...change }: PublicationChange): Partial<PublicationRow> => ({
  ...change,
  ...(digest === undefined ? {} : toDigestColumns(digest)),
  ...(problem === undefined ? {} : toProblemColumns(problem)),
  ...(progress === undefined ? {} : { progress: progress && toStoredProgress(progress) }),
  ...(change.state === undefined ? {} : { voidedDigest: change.voidedDigest ?? null }),
});

export const toProblemColumns = (
  problem: Publication["problem"],
): Pick<PublicationRow, "problemCode" | "problemMessage"> => ({
  problemCode: problem?.code ?? null,
  problemMessage: problem?.message ?? null,
});

/** The file keys have a column of their own: processes of the previous version read and write only the hash. */
export function toDigestColumns(digest: string): Pick<PublicationRow, "digest" | "fileKeys"> {
  const [hash = "", ...fileKeys] = digest.split(" ");
  return { digest: hash, fileKeys: fileKeys.join(" ") || null };
}

/** Without a hash there is no approval, even if a process of the previous version left the keys. */
const toDigest = ({ digest, fileKeys }: PublicationRow): string =>
  digest !== "" && fileKeys !== null ? `${digest} ${fileKeys}` : digest;

/** Adds to the row: copies of so many columns would cost as much as the statement. */
export function toPublication<Row extends PublicationRow>(row: Row): Omit<Row, "progress"> & Publication {
  const publication: object = Object.assign(row, {
    digest: toDigest(row),
    problem: row.problemCode === null ? null : { code: row.problemCode, message: row.problemMessage ?? "" },
    progress: row.progress && fromStoredProgress(row.progress),
  });
  return publication as Omit<Row, "progress"> & Publication;
}

/** When publication `p` became public, otherwise when it is or was due. An index of the calendar has this expression. */
export const publicationTimeSql = "coalesce(p.published_at, p.scheduled_for, p.created_at)";
export const publicationTime = sql<number>`${sql.raw(publicationTimeSql)}`;

/** Runs a query for rows. Use it with `$call`. */
export const listPublications = async (query: { execute(): Promise<PublicationRow[]> }): Promise<Publication[]> =>
  (await query.execute()).map(toPublication);

/** The condition of the index `publications_by_state_of_post`. SQLite uses the index only for queries that repeat it. */
export const isNotCanceledSql = (publication: string): string => `${publication}.state <> 'canceled'`;

/** 1 if the post of publication `p` has a newer publication for the same account, otherwise 0. */
const isSupersededSql = sql<boolean>`CASE WHEN EXISTS (SELECT 1 FROM publications n
  WHERE n.post_id = p.post_id AND n.connection_id = p.connection_id AND n.id > p.id) THEN 1 ELSE 0 END`;
export const isSuperseded = isSupersededSql.as("isSuperseded");
export const isNotSuperseded = sql<boolean>`${isSupersededSql} = 0`;

export interface AccountColumns {
  accountId: string;
  handle: string | null;
  accountName: string | null;
}

export const toPublicationWithNames = <Row extends PublicationRow & AccountColumns>(
  row: Row,
): Omit<Row, "progress"> & Publication & Pick<PublicationWithNames, "account"> => {
  const account = { id: row.accountId, handle: row.handle, name: row.accountName };
  return Object.assign(toPublication(row), { account });
};

/** Moves the columns of the account into an object. */
export const toAccount = <Row extends AccountColumns>({
  accountId: id,
  handle,
  accountName: name,
  ...row
}: Row): Omit<Row, keyof AccountColumns> & Pick<PublicationWithNames, "account"> => ({
  ...row,
  account: { id, handle, name },
});
