import type { Publication } from "../model/publication.ts";
import type { ResultSnapshot } from "../model/results.ts";

/** A published post whose results are due. */
export interface DueReading {
  publicationId: string;
  remoteId: string;
  publishedAt: number;
  dueAt: number;
}

/** A published post, with what was read at one age. */
export interface PostAtAge extends Pick<Publication, "postId" | "url"> {
  publicationId: string;
  publishedAt: number;
  title: string;
  tags: readonly string[];
  snapshot: ResultSnapshot | undefined;
}

export interface ResultStore {
  /** Plans the readings of a published post, once. */
  plan(publication: { publicationId: string; connectionId: string; publishedAt: number; dueAt: number }): Promise<void>;
  hasDue(now: number): Promise<boolean>;
  /** The first account with a due reading, of a studio after this one; none with a publication that is due or running. */
  findDueAccount(now: number, afterStudioId: string): Promise<{ studioId: string; connectionId: string } | undefined>;
  /** The account's due readings, earliest first. */
  listDue(connectionId: string, now: number, limit: number): Promise<DueReading[]>;
  /** Changes when a reading is due, unless it was changed meanwhile. Null: never again. */
  reschedule(reading: Pick<DueReading, "publicationId" | "dueAt">, dueAt: number | null): Promise<void>;
  /** Postpones all due readings of the account; null, and posts from before `publishedAfter`: never again. */
  postpone(connectionId: string, now: number, dueAt: number | null, publishedAfter: number): Promise<void>;
  /** Returns false if a user asked for the results after `latest`. Otherwise, records that one asks now. */
  claimRefresh(
    publication: { publicationId: string; connectionId: string; publishedAt: number },
    now: number,
    latest: number,
  ): Promise<boolean>;
  /** Stores a snapshot, unless there is one for its due age. */
  insert(snapshot: ResultSnapshot): Promise<void>;
  /** Newest first. */
  list(publicationId: string, limit: number): Promise<ResultSnapshot[]>;
  /** The newest snapshot of each publication that has one. */
  listLatest(publicationIds: readonly string[]): Promise<ResultSnapshot[]>;
  /** The snapshot that each publication has for this due age. */
  listByAge(publicationIds: readonly string[], dueAge: number): Promise<ResultSnapshot[]>;
  /** The posts that the account published since then, newest first, with what was read at this due age. */
  listAtAge(connectionId: string, dueAge: number, since: number, limit: number): Promise<PostAtAge[]>;
  /** Deletes the readings and snapshots of up to `limit` of the account's posts. Returns the number of posts. */
  deleteNext(connectionId: string, limit: number): Promise<number>;
}
