import { once } from "node:events";
import { openDatabase, type OpenDatabaseOptions } from "#db/open-database.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import type { Caller } from "#domain/caller.ts";
import { systemClock } from "#lib/clock.ts";
import { createDeps, silentLog } from "../engines.ts";
import { countOutcomes } from "../outcome.ts";

/** Child process: in each round, attaches all assets to the post at once and prints the outcomes. */

interface Round {
  postId: string;
  assetIds: string[];
}

const { caller, rounds, assetsPerPost, ...options } = JSON.parse(process.argv[2] ?? "") as Omit<
  OpenDatabaseOptions,
  "log"
> & {
  caller: Caller;
  rounds: Round[];
  assetsPerPost: number;
};
const database = await openDatabase({ ...options, log: silentLog });
const defaultDeps = createDeps(database, systemClock);
const deps = { ...defaultDeps, limits: { ...defaultDeps.limits, assetsPerPost } };

for (const [i, { postId, assetIds }] of rounds.entries()) {
  console.log(`ready ${i}`);
  await once(process.stdin, "data");
  const counts = await countOutcomes(assetIds.map((assetId) => attachAsset(deps, caller, { postId, assetId })));
  console.log(`done ${i} ${JSON.stringify(counts)}`);
}
await database.close();
process.exit(0);
