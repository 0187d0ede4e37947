export interface ActivityRow {
  id: string;
  studioId: string;
  userId: string | null;
  clientId: string | null;
  clientName: string | null;
  action: string;
  subjectId: string | null;
  detail: Record<string, unknown>;
  at: number;
}

export interface ActivityStore {
  insert(row: ActivityRow): Promise<void>;
  /** Newest first. */
  list(studioId: string, filter: ActivityFilter): Promise<ListedActivity[]>;
}

export interface ActivityFilter {
  userId?: string | undefined;
  clientId?: string | undefined;
  action?: string | undefined;
  /** Only what happened before this. */
  before?: string | undefined;
  limit: number;
}

export interface ListedActivity extends ActivityRow {
  userName: string | null;
  /** Of the post or person it is about, while there is one. */
  subjectName: string | null;
}
