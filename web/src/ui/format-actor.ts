interface Named {
  name: string;
}

/**
 * Who did something, for a sentence: "Ada", or "Claude, for Ada" if an AI client acted. The code that uses it adds the
 * second comma of "Claude, for Ada, deleted the post".
 */
export function formatActor(user: Named | null | undefined, client?: Named | null): string {
  const userName = user?.name ?? "a former member";
  return client ? `${client.name}, for ${userName}` : userName;
}

/** Who acted through a review link. The name is not verified. */
export const formatGuest = (guest: Named | null, client?: Named | null): string =>
  `${guest?.name ?? "A guest"}, by review link${client ? ` of ${client.name}` : ""}${guest ? " (unverified)" : ""}`;

/** For the start of a sentence. */
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Lists who made these changes, without repetition: "Claude, for Ada", "Ada and Claude (for Ada)". */
export function formatActors(changes: readonly { user: Named | null; client: Named | null }[]): string {
  const [onlyActor, ...otherActors] = new Set(changes.map(({ user, client }) => formatActor(user, client)));
  if (onlyActor !== undefined && otherActors.length === 0) return onlyActor;
  const actors = new Set(
    changes.map(({ user, client }) => (client ? `${client.name} (for ${formatActor(user)})` : formatActor(user))),
  );
  // Created on demand, because this takes several milliseconds.
  return new Intl.ListFormat("en", { type: "conjunction" }).format(actors);
}
