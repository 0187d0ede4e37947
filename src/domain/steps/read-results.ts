import { seconds } from "#lib/clock.ts";
import type { PlatformConnection } from "../model/connection.ts";
import type { Deps } from "../ports/deps.ts";
import type { FailedOutcome, ReadResultsOutcome } from "../ports/publisher.ts";
import { createCallWithToken } from "./call-with-token.ts";

/** For all requests of a reading together. */
const timeoutMs = seconds(10);

export type ReadDeps = Parameters<typeof createCallWithToken>[0] & Pick<Deps, "publisher">;

/** Reads what the platform says about posts of an account. */
export const readResults = (
  deps: ReadDeps,
  connection: PlatformConnection,
  remoteIds: readonly string[],
): Promise<ReadResultsOutcome | FailedOutcome> =>
  createCallWithToken(deps, { studioId: connection.studioId, connectionId: connection.id })((token) =>
    deps.publisher.readResults({ ...token, connection, remoteIds, signal: AbortSignal.timeout(timeoutMs) }),
  );
