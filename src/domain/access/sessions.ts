import { days } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import type { Deps } from "../deps.ts";
import type { User } from "./ports.ts";

/** Counted from the sign-in; using a session does not lengthen it. */
export const sessionLifetime = days(14);

/** Cookies are kept as digests: whoever reads the database cannot use them. */
const hashSessionToken = sha256;

/**
 * A new web session; the answer is its token, which nobody can read again.
 * The session this browser had before ends here, so that a token someone planted or saw earlier is worth nothing.
 */
export async function startSession(
  deps: Pick<Deps, "sessions" | "clock" | "newSecret">,
  user: { id: string },
  input: { previous: string | undefined },
): Promise<string> {
  const token = deps.newSecret();
  const now = deps.clock();
  if (input.previous !== undefined) await deps.sessions.delete(hashSessionToken(input.previous));
  await deps.sessions.insert(hashSessionToken(token), user.id, now, now + sessionLifetime);
  return token;
}

/** The person whose web session this is, while it lasts. */
export async function findSessionUser(
  deps: Pick<Deps, "sessions" | "clock">,
  token: string | undefined,
): Promise<User | undefined> {
  return token ? deps.sessions.findUser(hashSessionToken(token), deps.clock()) : undefined;
}

/** Ends a web session on the server. What AI clients were given lives on. */
export async function endSession(deps: Pick<Deps, "sessions">, token: string | undefined): Promise<void> {
  if (token) await deps.sessions.delete(hashSessionToken(token));
}
