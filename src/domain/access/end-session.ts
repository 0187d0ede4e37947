import type { Deps } from "../deps.ts";
import { hashSessionToken } from "./session-token.ts";

/** Ends a web session on the server. What AI clients were given lives on. */
export async function endSession(deps: Pick<Deps, "sessions">, token: string | undefined): Promise<void> {
  if (token) await deps.sessions.delete(hashSessionToken(token));
}
