import { endSession } from "#domain/access/end-session.ts";
import { findSessionUser } from "#domain/access/find-signed-in.ts";
import type { User } from "#domain/access/ports.ts";
import { sessionLifetime } from "#domain/access/session-token.ts";
import { startSession } from "#domain/access/start-session.ts";
import type { Deps } from "#domain/deps.ts";
import { createHostCookie } from "#lib/cookies.ts";

/** Web sessions as a browser carries them. */
export interface Sessions {
  /** The person signed in on the browser that sent this `Cookie` header. */
  find(cookieHeader: string | undefined): Promise<User | undefined>;
  /** Signs the person in: the `Set-Cookie` line. The session the browser had before is over. */
  start(userId: string, previousCookieHeader: string | undefined): Promise<string>;
  /** Signs out, on the server too: the `Set-Cookie` line. */
  end(cookieHeader: string | undefined): Promise<string>;
}

export function createSessions({
  deps,
  base,
}: {
  deps: Pick<Deps, "sessions" | "clock" | "newSecret">;
  base: string;
}): Sessions {
  const cookie = createHostCookie(base, "atelier");
  return {
    find: (header) => findSessionUser(deps, cookie.read(header)),
    async start(userId, previousHeader) {
      const token = await startSession(deps, { id: userId }, { previous: cookie.read(previousHeader) });
      return cookie.toSetCookie(token, sessionLifetime / 1000);
    },
    async end(header) {
      await endSession(deps, cookie.read(header));
      return cookie.toClearCookie();
    },
  };
}
