import type { Deps } from "../deps.ts";
import { hashSessionToken, sessionLifetime } from "./session-token.ts";

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
