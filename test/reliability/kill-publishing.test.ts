import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createSandboxStore } from "#db/sandbox.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import type { PublicationState } from "#domain/model/publication-states.ts";
import { minutes, seconds } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { startHelper, type HelperProcess } from "../support/helper-process.ts";
import type { HookedFiles } from "../support/hooked-files.ts";
import { isLongRun } from "../support/long-run.ts";
import { addConnections, startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { png } from "../support/samples.ts";
import { createSandboxPlatforms, sandboxPlatformIds } from "../support/sandbox-platforms.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { waitUntil } from "../support/wait-until.ts";

const kills = isLongRun ? 200 : 20;
/** How many responses are dropped, how many are 503s, and how many time out. */
const faultsPerKind = isLongRun ? 100 : 20;
/** Several, because a publication whose commit must be looked up blocks its connection for up to 20 seconds. */
const connectionsPerPlatform = 6;
/** How many connections of each platform publish in a round. */
const connectionsPerRound = 2;
const maxFinalRounds = 10;

forEachEngine("kill -9 of the service while it publishes", (fixture) => {
  let publishing: PublishingFixture;
  let connectionIds: string[][];
  let image: Buffer;
  before(async () => {
    const base = await findFreeBaseUrl();
    // Without the sandbox itself: the service adds it, with its own credentials.
    const platforms = createSandboxPlatforms({ base }).filter(({ platform }) => platform.id !== "sandbox");
    publishing = await startPublishing(fixture, ["harbour"], { base, platforms, runsWorker: false });
    connectionIds = await Promise.all(
      sandboxPlatformIds.map((id) => addConnections(publishing, id, connectionsPerPlatform)),
    );
    image = await png();
    // From here on, the processes that are killed serve this URL.
    await publishing.close();
  });

  const processes: HelperProcess[] = [];
  after(() => Promise.all(processes.map((child) => child.kill())));

  function startProcess(timeoutCount: number): HelperProcess {
    const child = startHelper("publish.ts", {
      ...fixture.location,
      base: publishing.service.base,
      filesFolder: (publishing.service.deps.files as HookedFiles).root,
      timeoutCount,
      leaseMs: seconds(2),
    });
    processes.push(child);
    return child;
  }

  /** Publishes a new post with an image. Each connection has its own text, because all publish to the same sandbox account. */
  async function publishTo(targets: string[], text: string): Promise<number> {
    const { owner } = publishing;
    const { deps } = publishing.service;
    const { id: postId } = await createPost(deps, owner, { title: "Title", body: text });
    const texts = targets.map((connectionId) => ({ connectionId, body: `${text} ${connectionId}` }));
    await updatePost(deps, owner, { postId, variants: texts });
    const file = { kind: "image", mimeType: "image/png", filename: "vase.png" } as const;
    const { assetId } = await uploadAssetInline(deps, owner, { ...file, base64: image.toString("base64") });
    await updateAsset(deps, owner, { assetId, altText: `Image of ${text}` });
    await attachAsset(deps, owner, { postId, assetId });
    return (await publishPost(deps, owner, { postId, connectionIds: targets })).publications.length;
  }

  const pickTargets = (round: number): string[] =>
    connectionIds.flatMap((ids) =>
      Array.from({ length: connectionsPerRound }, (_, i) => ids[(round * connectionsPerRound + i) % ids.length] ?? ""),
    );

  const listRows = () =>
    fixture.database.q
      .selectFrom("publications as p")
      .innerJoin("platformConnections as c", "c.id", "p.connectionId")
      .innerJoin("posts", "posts.id", "p.postId")
      .select(["p.id", "p.state", "p.remoteId as remoteId", "c.platform", "c.id as connectionId", "posts.body"])
      .execute();
  const countInStates = async (...states: PublicationState[]): Promise<number> =>
    (await fixture.database.q.selectFrom("publications").select("id").where("state", "in", states).execute()).length;
  const countRunning = () => countInStates("preparing", "committing");
  const countTimeouts = ({ lines }: HelperProcess): number => lines.filter((line) => line.startsWith("timeout")).length;

  const readFaults = async (): Promise<{ dropResponses: number; unavailableNext: number }> => {
    const rows = await fixture.database.q.selectFrom("sandboxFaults").selectAll().execute();
    const find = (name: string): number => rows.find((row) => row.name === name)?.remaining ?? 0;
    return { dropResponses: find("dropResponses"), unavailableNext: find("unavailableNext") };
  };
  const addFaults = async (): Promise<void> => {
    const { dropResponses, unavailableNext } = await readFaults();
    await createSandboxStore(fixture.database).setFaults({
      dropResponses: dropResponses + 1,
      unavailableNext: unavailableNext + 1,
    });
  };

  test(`${kills} kills, and ${faultsPerKind} lost responses, outages and timeouts each: nothing is lost or published twice (PUB-7, B3)`, async () => {
    let [requestedCount, inFlightCount, usedTimeouts] = [0, 0, 0];
    let nextProcess = startProcess(1);
    for (let round = 0; round < kills; round++) {
      const service = nextProcess;
      await service.waitForLine("loaded");
      if (round < faultsPerKind) await addFaults();
      requestedCount += await publishTo(pickTargets(round), `Round ${round}`);
      service.letRun();
      await service.waitForLine("ready");
      nextProcess = startProcess(round + 1 < kills ? 1 : Math.max(faultsPerKind - usedTimeouts, 1));
      await waitUntil(async () => (await countRunning()) > 0, { timeoutMs: 60_000, description: "a run is in flight" });
      await sleep(Math.random() * 200);
      await service.kill();
      inFlightCount += await countRunning();
      usedTimeouts += countTimeouts(service);
    }
    await nextProcess.begin();
    const areFaultsLeft = async () => {
      const { dropResponses, unavailableNext } = await readFaults();
      return dropResponses > 0 || unavailableNext > 0 || usedTimeouts + countTimeouts(nextProcess) < faultsPerKind;
    };
    for (let round = 0; round === 0 || (round < maxFinalRounds && (await areFaultsLeft())); round++) {
      requestedCount += await publishTo(connectionIds.flat(), `After the last kill ${round}`);
      await waitUntil(async () => (await countInStates("scheduled", "preparing", "committing")) === 0, {
        timeoutMs: minutes(5),
        intervalMs: 200,
        description: "every publication is final",
      });
    }
    assert.equal(await areFaultsLeft(), false, "every fault was used");
    const posts = await publishing.listSandboxPosts();
    usedTimeouts += countTimeouts(nextProcess);
    await nextProcess.kill();

    const rows = await listRows();
    const counts = new Map<string, number>();
    for (const { platform, state } of rows)
      counts.set(`${platform} ${state}`, (counts.get(`${platform} ${state}`) ?? 0) + 1);
    console.log(fixture.engine, {
      kills,
      inFlightCount,
      usedTimeouts,
      posts: posts.length,
      ...Object.fromEntries(counts),
    });
    assert.ok(inFlightCount >= kills / 2, `only ${inFlightCount} publications were in flight`);
    assert.equal(rows.length, requestedCount, "none is lost");
    const unexpectedRows = rows.filter(
      ({ state, platform }) => state !== "published" && !(state === "unconfirmed" && platform === "sandbox-read-back"),
    );
    assert.deepEqual(unexpectedRows, []);
    const postsById = new Map(posts.map((post) => [post.id, post]));
    const publishedRows = rows.filter(({ state }) => state === "published");
    for (const { remoteId, body, connectionId } of publishedRows) {
      const post = postsById.get(remoteId ?? "");
      assert.equal(post?.text, `${body} ${connectionId}`);
      assert.deepEqual(post.media, [{ mimeType: "image/png", bytes: image.length, altText: `Image of ${body}` }]);
    }
    assert.equal(new Set(posts.map(({ text }) => text)).size, posts.length, "no text appears twice");
    // A lost response is not a reason to ask a person if the account shows the post.
    const publishedTexts = new Set(posts.map(({ text }) => text));
    const findableRows = rows.filter(
      ({ state, body, connectionId }) => state === "unconfirmed" && publishedTexts.has(`${body} ${connectionId}`),
    );
    assert.deepEqual(findableRows, [], "unconfirmed only where the post can't be found");
  });
});
