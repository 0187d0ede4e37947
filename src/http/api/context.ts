import type { CountCall } from "#domain/access/call-limit.ts";
import type { User } from "#domain/access/ports.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import type { Log } from "#lib/log.ts";
import type { ApiBindings } from "./mount.ts";

/** The web sessions, as far as the API needs them. */
export interface SessionReader {
  /** The person behind the cookie of a request, if their session is still good. */
  find(cookieHeader: string | undefined): Promise<User | undefined>;
}

export interface ApiParts {
  deps: Deps;
  sessions: SessionReader;
  /** Counts one request of a user. */
  countCall: CountCall;
  log: Log;
  /** Whether people sign in at the built-in development issuer. */
  development: boolean;
}

/** A request of someone who is signed in. */
export interface Signed {
  Bindings: ApiBindings;
  Variables: { user: User };
}

/** A request of someone who is signed in, within one of their studios. */
export interface InStudio {
  Bindings: ApiBindings;
  Variables: { user: User; caller: Caller };
}
