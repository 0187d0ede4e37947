import type { Deps } from "../deps.ts";
import type { User } from "./ports.ts";
import { hashSessionToken } from "./session-token.ts";

/** The person whose web session this is, while it lasts. */
export async function findSessionUser(
  deps: Pick<Deps, "sessions" | "clock">,
  token: string | undefined,
): Promise<User | undefined> {
  return token ? deps.sessions.findUser(hashSessionToken(token), deps.clock()) : undefined;
}
