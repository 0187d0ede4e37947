import { days } from "#lib/clock.ts";
import { sha256 } from "#lib/digest.ts";
import type { SignedInUser } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import type { User } from "../model/user.ts";

/** The lifetime of a session, counted from sign-in; use does not extend it. */
export const sessionLifetime = days(14);

/** Only hashes are stored, so that a leaked database contains no usable session tokens. */
const hashSessionToken = sha256;

/**
 * Starts a web session and returns its token. Ends the browser's previous session, so that a planted or leaked token
 * stops working (session fixation).
 */
export async function startSession(
  deps: Pick<Deps, "sessions" | "clock" | "newSecret">,
  user: { id: string },
  input: { previousToken: string | undefined },
): Promise<string> {
  const token = deps.newSecret();
  const now = deps.clock();
  if (input.previousToken !== undefined) await deps.sessions.delete(hashSessionToken(input.previousToken));
  await deps.sessions.insert(hashSessionToken(token), user.id, now, now + sessionLifetime);
  return token;
}

/** A signed-in user, with what only the user's own pages need. */
export interface WebUser extends SignedInUser {
  user: User;
}

export async function findSessionUser(
  deps: Pick<Deps, "sessions" | "clock">,
  token: string | undefined,
): Promise<WebUser | undefined> {
  if (!token) return undefined;
  const tokenHash = hashSessionToken(token);
  const user = await deps.sessions.findUser(tokenHash, deps.clock());
  return user && { user, credential: { kind: "session", tokenHash } };
}

/** Ends a web session. Grants of AI clients stay active. */
export async function endSession(deps: Pick<Deps, "sessions">, token: string | undefined): Promise<void> {
  if (token) await deps.sessions.delete(hashSessionToken(token));
}
