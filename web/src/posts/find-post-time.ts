const waitingStates = ["proposed", "scheduled", "publishing"];
/** The publication did not go out at its time, or it is not known whether it did. */
const overdueStates = ["missed", "failed", "unconfirmed"];

interface PlannedPost {
  status: string;
  createdAt: string;
  publications: readonly {
    connectionId: string;
    state: string;
    createdAt: string;
    scheduledFor: string | null;
    publishedAt: string | null;
  }[];
}

interface PostTime {
  /** `due`: the post should have gone out at this time. */
  kind: "planned" | "due" | "published" | "created";
  at: string;
}

/**
 * The next time at which the post is planned to go out; otherwise the last time at which it went out or should have gone
 * out; otherwise when it was created. Users archive posts that they no longer plan to publish, so those are not due.
 */
export function findPostTime({ status, createdAt, publications }: PlannedPost): PostTime {
  const listTimes = (states: readonly string[]): string[] =>
    publications
      .filter(({ state }) => states.includes(state))
      // Without a planned time, it was due when it was requested.
      .flatMap((publication) => publication.scheduledFor ?? (states === overdueStates ? publication.createdAt : []))
      .toSorted();
  const [nextTime] = listTimes(waitingStates);
  if (nextTime !== undefined) return { kind: "planned", at: nextTime };
  const publishedTime = publications
    .flatMap(({ publishedAt }) => publishedAt ?? [])
    .toSorted()
    .at(-1);
  if (publishedTime !== undefined) return { kind: "published", at: publishedTime };
  const dueTime = status === "archived" ? undefined : listTimes(overdueStates).at(-1);
  return dueTime === undefined ? { kind: "created", at: createdAt } : { kind: "due", at: dueTime };
}
