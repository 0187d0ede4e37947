import type { ActivityRow, ListedActivity, NamedObject, ObjectType } from "../model/activity.ts";

export interface ActivityStore {
  insert(row: ActivityRow): Promise<void>;
  /** Whether activity of any studio is still to be passed to the readers of events. */
  hasPending(): Promise<boolean>;
  /**
   * Takes pending activity of any studio, oldest first: no other transaction can take it, unless this one is rolled
   * back. Leaves out what other transactions are taking.
   */
  takePending(limit: number): Promise<ActivityRow[]>;
  /** All studios' activity after an id, oldest first. */
  listAfter(id: string, limit: number): Promise<RecordedActivity[]>;
  /** Newest first. */
  list(studioId: string, filter: ActivityFilter): Promise<ListedActivity[]>;
  find(studioId: string, id: string): Promise<ActivityRow | undefined>;
  /** Names of the objects that still exist, in one query. */
  findNames(studioId: string, objects: readonly { type: ObjectType; id: string }[]): Promise<NamedObject[]>;
}

export type RecordedActivity = Pick<ActivityRow, "id" | "studioId" | "action" | "subjectId">;

export interface ActivityFilter {
  userId?: string | undefined;
  clientId?: string | undefined;
  action?: string | undefined;
  /** Only activity about this object. */
  subjectId?: string | undefined;
  /** Only activity before this id. */
  before?: string | undefined;
  limit: number;
}
