import { sql, type Selectable } from "kysely";
import type {
  PublicationWithNames,
  Publication,
  PublicationChange,
  PublicationContent,
} from "#domain/publishing/ports.ts";
import type { PublicationProgress } from "#domain/publishing/progress.ts";
import type { Schema } from "./schema.ts";

export type PublicationRow = Selectable<Schema["publications"]>;

/** Returns only the columns of the fields that the change contains. */
export function toColumns(change: PublicationChange): Partial<PublicationRow> {
  const { problem, content, progress } = change;
  const columns = {
    state: change.state,
    scheduled_for: change.scheduledFor,
    revision: change.revision,
    ...(change.digest === undefined ? {} : toDigestColumns(change.digest)),
    approved_revision: change.approvedRevision,
    approved_for: change.approvedTime,
    approved_by: change.approvedBy,
    voided_digest: change.voidedDigest ?? (change.state === undefined ? undefined : null),
    published_at: change.publishedAt,
    url: change.url,
    remote_id: change.remoteId,
    problem_code: problem === undefined ? undefined : (problem?.code ?? null),
    problem_message: problem === undefined ? undefined : (problem?.message ?? null),
    due_at: change.dueAt,
    next_run_at: change.nextRunAt,
    started_at: change.startedAt,
    attempts: change.attempts,
    lease_expires_at: change.leaseExpiresAt,
    content: content === undefined ? undefined : content && JSON.stringify(content),
    progress: progress === undefined ? undefined : progress && JSON.stringify(progress),
    commit_key: change.commitKey,
    committed_at: change.committedAt,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

/** The file keys have a column of their own: processes of the previous version read and write only the hash. */
export function toDigestColumns(digest: string): Pick<PublicationRow, "digest" | "file_keys"> {
  const [hash = "", ...fileKeys] = digest.split(" ");
  return { digest: hash, file_keys: fileKeys.join(" ") || null };
}

/** Without a hash there is no approval, even if a process of the previous version left the keys. */
const toDigest = ({ digest, file_keys }: PublicationRow): string =>
  digest !== "" && file_keys !== null ? `${digest} ${file_keys}` : digest;

export function toPublication(row: PublicationRow): Publication {
  return {
    id: row.id,
    studioId: row.studio_id,
    postId: row.post_id,
    connectionId: row.connection_id,
    state: row.state,
    includesTitle: row.includes_title === 1,
    scheduledFor: row.scheduled_for,
    revision: row.revision,
    digest: toDigest(row),
    approvedRevision: row.approved_revision,
    approvedTime: row.approved_for,
    voidedDigest: row.voided_digest,
    requestedBy: row.requested_by,
    requestedGrantId: row.requested_grant_id,
    requestedClientId: row.requested_client_id,
    requestedClientName: row.requested_client_name,
    approvedBy: row.approved_by,
    createdAt: row.created_at,
    publishedAt: row.published_at,
    url: row.url,
    remoteId: row.remote_id,
    problem: row.problem_code === null ? null : { code: row.problem_code, message: row.problem_message ?? "" },
    dueAt: row.due_at,
    nextRunAt: row.next_run_at,
    startedAt: row.started_at,
    attempts: row.attempts,
    fence: row.fence,
    leaseExpiresAt: row.lease_expires_at,
    content: row.content === null ? null : (JSON.parse(row.content) as PublicationContent),
    progress: row.progress === null ? null : (JSON.parse(row.progress) as PublicationProgress),
    commitKey: row.commit_key,
    committedAt: row.committed_at,
  };
}

/** 1 if the post of publication `p` has a newer publication for the same account, otherwise 0. */
export const isSupersededExpression = sql<number>`CASE WHEN EXISTS (SELECT 1 FROM publications n
  WHERE n.post_id = p.post_id AND n.connection_id = p.connection_id AND n.id > p.id) THEN 1 ELSE 0 END`;

export function toPublicationWithNames(
  row: PublicationRow & {
    platform: string;
    account_id: string;
    handle: string | null;
    account_name: string | null;
    requested_by_name: string | null;
    approved_by_name: string | null;
    is_superseded: number;
    post_title: string | null;
  },
): PublicationWithNames {
  return {
    ...toPublication(row),
    platform: row.platform,
    account: { id: row.account_id, handle: row.handle, name: row.account_name },
    requestedByName: row.requested_by_name,
    approvedByName: row.approved_by_name,
    isSuperseded: row.is_superseded === 1,
    postTitle: row.post_title,
  };
}
