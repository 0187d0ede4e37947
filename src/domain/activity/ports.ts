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
  /** Newest first, older than `before`. */
  list(
    studioId: string,
    before: string | undefined,
    limit: number,
  ): Promise<(ActivityRow & { userName: string | null })[]>;
}
