import { minutes } from "#lib/clock.ts";
import { type AccountChoices, hasAccountChoices } from "#portable/post-options.ts";
import type { PlatformConnection } from "../model/connection.ts";
import type { Deps } from "../ports/deps.ts";
import { createCallWithToken } from "./call-with-token.ts";

/** Platforms limit how often their lists may be read. */
const reuseMs = minutes(5);

export type ChoiceDeps = Parameters<typeof createCallWithToken>[0] & Pick<Deps, "publisher" | "platforms" | "transact">;

/** Reads what the account offers, unless that was done recently. If it can't be read, returns what was read last. */
export async function readAccountChoices(
  deps: ChoiceDeps,
  connection: PlatformConnection,
): Promise<AccountChoices | null> {
  const { id: connectionId, studioId, platform, state, choices, choicesReadAt } = connection;
  if (state !== "connected" || !hasAccountChoices(deps.platforms.find(platform)?.options ?? [])) return choices;
  if (choices && choicesReadAt !== null && deps.clock() < choicesReadAt + reuseMs) return choices;
  const outcome = await createCallWithToken(deps, { studioId, connectionId })((token) =>
    deps.publisher.readChoices({ ...token, connection }),
  );
  if (outcome.kind !== "read") return choices;
  const readAt = deps.clock();
  await deps.transact({ job: "read choices" }, (tx) =>
    tx.platformStore.storeChoices(connectionId, outcome.choices, readAt),
  );
  return outcome.choices;
}
