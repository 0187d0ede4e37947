import type { CallLimitCheck } from "#domain/access/call-limit.ts";
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

export interface ApiOptions {
  deps: Deps;
  sessions: SessionReader;
  /** Counts one request of a user. */
  countCall: CallLimitCheck;
  log: Log;
  /** Whether people sign in at the built-in development issuer. */
  isDevelopment: boolean;
}

/** A request of someone who is signed in. */
export interface SignedInEnv {
  Bindings: ApiBindings;
  Variables: { user: User };
}

/** A request of someone who is signed in, within one of their studios. */
export interface StudioEnv {
  Bindings: ApiBindings;
  Variables: { user: User; caller: Caller };
}
