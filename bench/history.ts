import { statement } from "#db/database.ts";
import { writes } from "#domain/ports/write-stores.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { getPostHistory } from "#domain/history/get-post-history.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { actThroughClient } from "../test/support/history-fixture.ts";
import { createPostgresCluster, findPostgres } from "../test/support/postgres-cluster.ts";
import { createBench, measureMedians, type Bench } from "./asset-fixture.ts";
import { createReport } from "./report.ts";

/**
 * Measures what the history costs: update_post with and without its snapshot, and pages of a long history.
 *   node bench/history.ts [--quick]    10,000 revisions, or 1,500
 */

const isQuick = process.argv.includes("--quick");
const revisionCount = isQuick ? 1500 : 10_000;
const updateRounds = isQuick ? 600 : 1500;
const body = "Some words. ".repeat(40);
const pageSize = 20;

const report = createReport({ fractionDigits: 3 });

async function measureUpdate({ deps, owner, database }: Bench): Promise<void> {
  const client = await actThroughClient(deps, owner);
  const depsWithoutSnapshot: Deps = {
    ...deps,
    transact: (authority, work) =>
      deps.transact(authority, (tx) =>
        work({
          ...tx,
          [writes]: {
            ...tx[writes],
            revisions: { record: async () => ({ hasPublications: false, hasReviews: false }) },
          },
        }),
      ),
  };
  const createUpdate = async (updateDeps: Deps): Promise<() => Promise<void>> => {
    const { id: postId } = await createPost(deps, owner, { title: "A post", body });
    let revision = 1;
    return async () => {
      const input = { postId, body: `${body}${revision}`, revision };
      ({ revision } = await updatePost(updateDeps, client, input));
    };
  };
  const [ours, baseline] = [await createUpdate(deps), await createUpdate(depsWithoutSnapshot)];
  await measureMedians(300, ours, baseline);
  const [oursMs, baselineMs] = await measureMedians(updateRounds, ours, baseline);
  report.printLine(`update_post (${database.engine})`, oursMs, 1.3, "without its snapshot", baselineMs, "ms");
}

/** Ours is the oldest page; the baseline is the newest. */
async function measurePaging({ deps, owner, database }: Bench): Promise<void> {
  const client = await actThroughClient(deps, owner);
  const { id: postId } = await createPost(deps, owner, { title: "A post", body });
  for (let revision = 1; revision < revisionCount; revision++)
    await updatePost(deps, client, { postId, title: `Title ${revision}`, revision });
  if (database.engine === "postgres") await database.run(statement("ANALYZE"), []);
  let cursor: string | undefined;
  let oldestCursor: string | undefined;
  do {
    oldestCursor = cursor;
    const page = await getPostHistory(deps, owner, { postId, limit: pageSize, cursor });
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  const readPage = (pageCursor: string | undefined) => () =>
    getPostHistory(deps, owner, { postId, limit: pageSize, cursor: pageCursor });
  await measureMedians(100, readPage(oldestCursor), readPage(undefined));
  const [oldestMs, newestMs] = await measureMedians(400, readPage(oldestCursor), readPage(undefined));
  const name = `get_post_history, last of ${revisionCount} (${database.engine})`;
  report.printLine(name, oldestMs, 1.18, "first page", newestMs, "ms");
}

for (const engine of ["sqlite", "postgres"] as const) {
  const programFolder = engine === "postgres" ? findPostgres() : undefined;
  if (engine === "postgres" && !programFolder) continue;
  const cluster = programFolder ? await createPostgresCluster(programFolder, { fsync: "off" }) : undefined;
  try {
    const bench = await createBench(engine, cluster?.url());
    await measureUpdate(bench);
    await measurePaging(bench);
    await bench.close();
  } finally {
    await cluster?.remove();
  }
}
process.exit(report.hasExceededLimit ? 1 : 0);
