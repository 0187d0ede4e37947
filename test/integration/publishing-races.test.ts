import assert from "node:assert/strict";
import { before, test } from "node:test";
import { revokeClient } from "#domain/access/clients.ts";
import { attachAsset, detachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { Caller } from "#domain/caller.ts";
import { disconnectPlatform } from "#domain/platforms/disconnect-platform.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { cancelPublication, reschedulePublication } from "#domain/publishing/change-publication.ts";
import type { Publication } from "#domain/model/publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { runPublication } from "#domain/jobs/publishing/run-publication.ts";
import { deleteStudio } from "#domain/studios/delete-studio.ts";
import { removeMember } from "#domain/studios/members.ts";
import { updateStudio } from "#domain/studios/studios.ts";
import { hours, seconds, toIsoTime } from "#lib/clock.ts";
import { forEachEngine } from "../support/engines.ts";
import { actThroughClient, actThroughDrafter } from "../support/history-fixture.ts";
import { isLongRun } from "../support/long-run.ts";
import { getOutcome } from "../support/outcome.ts";
import { oneSlot, startPublishing } from "../support/publishing-fixture.ts";
import { png } from "../support/samples.ts";
import { newMember } from "../support/users.ts";
import { waitTurns } from "../support/wait-turns.ts";
import { startForSuite } from "../support/start-for-suite.ts";

const rounds = isLongRun ? 60 : 3;

interface Target {
  postId: string;
  assetIds: string[];
  publicationId: string;
  connectionId: string;
  revision: number;
  requester: Caller & { grantId?: string };
}

interface Result {
  /** `ok`, or the error code of the change. */
  outcome: string;
  state: string;
  approvedBy: string | null;
  /** What the sandbox received: as approved, as edited, or nothing. */
  sent: "original" | "edited" | "nothing";
}

type ResultSummary = `${string}: ${string}, ${Result["sent"]} sent`;

interface Change {
  apply(target: Target): Promise<unknown>;
  /** Who requests the publication; the owner by default. */
  requestAs?: () => Promise<Target["requester"]>;
  /** The result if the change happens after the claim and before the run fixes what is sent. */
  between: ResultSummary;
  /** Other results that are possible if the change happens earlier or later. */
  otherwise: ResultSummary[];
}

const published = "published, original sent";

forEachEngine("changes while a publication starts", (fixture) => {
  const publishing = startForSuite(() => startPublishing(fixture, ["harbour"], { clock: fixture.clock }));
  let client: Awaited<ReturnType<typeof actThroughClient>>;
  let images: string[];
  let count = 0;
  before(async () => {
    const { service, owner } = publishing;
    client = await actThroughDrafter(service.deps, owner);
    images = [(await png(2, 2)).toString("base64"), (await png(3, 3)).toString("base64")];
  });

  const deps = () => publishing.service.deps;
  const owner = () => publishing.owner;
  const editedText = (postId: string): string => `Edited ${postId}`;

  const byClient = (apply: Change["apply"]): Change => ({
    apply,
    between: "ok: proposed, nothing sent",
    otherwise: [`ok: ${published}`],
  });
  /** A change that is too late after the claim. */
  const unlessStarted = (apply: Change["apply"], otherwise: ResultSummary[]): Change => ({
    apply,
    between: `too_late: ${published}`,
    otherwise,
  });
  const losingAccess = (apply: Change["apply"], requestAs?: Change["requestAs"]): Change => ({
    apply,
    ...(requestAs && { requestAs }),
    between: "ok: failed, nothing sent",
    otherwise: [`ok: ${published}`],
  });
  const removingPost = (apply: Change["apply"]): Change => ({
    apply,
    between: `post_in_use: ${published}`,
    otherwise: [`ok: ${published}`],
  });
  const inOneHour = () => toIsoTime(fixture.clock() + hours(1));

  const changes: Record<string, Change> = {
    "a client edits the body": byClient(({ postId, revision }) =>
      updatePost(deps(), client, { postId, revision, body: editedText(postId) }),
    ),
    "a client adds a variant": byClient(({ postId, revision, connectionId }) =>
      updatePost(deps(), client, { postId, revision, variants: [{ connectionId, body: editedText(postId) }] }),
    ),
    "a client chooses other files": byClient(({ postId, revision, connectionId, assetIds }) =>
      updatePost(deps(), client, { postId, revision, variants: [{ connectionId, assetIds: assetIds.slice(1) }] }),
    ),
    "a client changes the order": byClient(({ postId, assetIds }) =>
      updatePost(deps(), client, { postId, assetIds: assetIds.toReversed() }),
    ),
    "a client detaches an image": byClient(({ postId, assetIds }) =>
      detachAsset(deps(), client, { postId, assetId: assetIds[0] ?? "" }),
    ),
    "a client edits the alt text": byClient(({ assetIds }) =>
      updateAsset(deps(), client, { assetId: assetIds[1] ?? "", altText: "Edited by the client" }),
    ),
    "the owner edits the body": {
      apply: ({ postId }) => updatePost(deps(), owner(), { postId, body: editedText(postId) }),
      between: "ok: published, edited sent",
      otherwise: [`ok: ${published}`],
    },
    "the owner archives the post": removingPost(({ postId }) =>
      updatePost(deps(), owner(), { postId, status: "archived" }),
    ),
    "the owner deletes the post": removingPost(({ postId }) => deletePost(deps(), owner(), { postId })),
    "the owner cancels": unlessStarted(
      ({ publicationId }) => cancelPublication(deps(), owner(), { publicationId }),
      ["ok: canceled, nothing sent"],
    ),
    "the owner reschedules": unlessStarted(
      ({ publicationId }) => reschedulePublication(deps(), owner(), { publicationId, at: inOneHour() }),
      ["ok: scheduled, nothing sent"],
    ),
    "a client reschedules": unlessStarted(
      ({ publicationId }) => reschedulePublication(deps(), client, { publicationId, at: inOneHour() }),
      ["ok: proposed, nothing sent"],
    ),
    "the requester is removed": losingAccess(
      ({ requester }) => removeMember(deps(), owner(), { userId: requester.user.id }),
      () => newMember(deps(), owner(), "member"),
    ),
    "approvals become required": losingAccess(
      () => updateStudio(deps(), owner(), { approval: "everyone" }),
      () => newMember(deps(), owner(), "member"),
    ),
    "the requesting client is revoked": losingAccess(
      ({ requester }) => revokeClient(deps(), owner(), { grantId: requester.grantId ?? "" }),
      () => actThroughClient(deps(), owner(), `Client ${++count}`),
    ),
    "the account is disconnected": {
      ...losingAccess(({ connectionId }) => disconnectPlatform(deps(), owner(), { connectionId })),
      otherwise: ["ok: canceled, nothing sent", `ok: ${published}`],
    },
  };

  async function request(requester: Target["requester"], connectionId: string): Promise<Target> {
    const { id: postId } = await createPost(deps(), owner(), { title: "Title", body: `Post ${++count}` });
    const assetIds: string[] = [];
    for (const base64 of images) {
      const { assetId } = await uploadAssetInline(deps(), owner(), { kind: "image", mimeType: "image/png", base64 });
      await updateAsset(deps(), owner(), { assetId, altText: `Image ${assetIds.length}` });
      await attachAsset(deps(), owner(), { postId, assetId });
      assetIds.push(assetId);
    }
    const [publication] = (await publishPost(deps(), requester, { postId, connectionIds: [connectionId] }))
      .publications;
    assert.equal(publication?.state, "scheduled");
    const { id: publicationId, revision } = publication;
    return { postId, assetIds, publicationId, connectionId, revision, requester };
  }

  const claim = async (): Promise<Publication | undefined> => {
    const now = await deps().publications.getTime();
    return deps().publicationRuns.claimDue({ now, leaseExpiresAt: now + seconds(30), slots: oneSlot });
  };
  const run = async (publication: Publication | undefined): Promise<void> => {
    if (publication) await runPublication(deps(), publication, new AbortController().signal);
  };

  async function readResult({ postId, publicationId }: Target, outcome: string, text: string): Promise<Result> {
    const publication = await deps().publications.find(owner().studio.id, publicationId);
    assert.ok(publication);
    const posts = (await publishing.listSandboxPosts()).filter((post) =>
      [text, editedText(postId)].includes(post.text),
    );
    assert.ok(posts.length <= 1, "nothing is sent twice");
    const [post] = posts;
    const media = post?.media.map(({ altText }) => altText);
    if (post) assert.deepEqual(media, ["Image 0", "Image 1"], "the approved media in the approved order");
    const sentText = post?.text === text ? "original" : "edited";
    const sent = post ? sentText : "nothing";
    const { state, approvedBy } = publication;
    return { outcome, state, approvedBy, sent };
  }

  async function runRound(name: string, isBetween: boolean, connectionId: string): Promise<void> {
    const change = changes[name];
    assert.ok(change);
    const target = await request((await change.requestAs?.()) ?? owner(), connectionId);
    const text = `Post ${count}`;
    let outcome = "";
    const apply = async () => void (outcome = await getOutcome(() => change.apply(target)));
    if (isBetween) {
      const publication = await claim();
      await apply();
      await run(publication);
    } else {
      const start = async () => run(await claim());
      await Promise.all([waitTurns(Math.random() * 200).then(apply), waitTurns(Math.random() * 100).then(start)]);
      // The change may have been first.
      await run(await claim());
    }
    const result = await readResult(target, outcome, text);
    const summary: ResultSummary = `${result.outcome}: ${result.state}, ${result.sent} sent`;
    if (isBetween) assert.equal(summary, change.between);
    else assert.ok([change.between, ...change.otherwise].includes(summary), summary);
    if (result.state === "proposed") assert.equal(result.approvedBy, null);
    const { publicationId } = target;
    if (["proposed", "scheduled"].includes(result.state)) await cancelPublication(deps(), owner(), { publicationId });
    await updateStudio(deps(), owner(), { approval: "clients" });
  }

  const connect = async (account: string): Promise<string> => {
    const { body } = await publishing.api("POST", "/platforms/connect", { platform: "sandbox" });
    const sandboxPage = await publishing.browser.submit(await publishing.browser.open(String(body["connectUrl"])));
    await publishing.browser.submit(sandboxPage, { account, decision: "allow" });
    const connections = await deps().platformStore.list(owner().studio.id);
    return connections.find(({ account: { handle } }) => handle === account)?.id ?? "";
  };

  for (const name of Object.keys(changes)) {
    test(`${name}: what is sent is what was approved (PUB-4, B2)`, async () => {
      const isDisconnect = name === "the account is disconnected";
      const getConnection = () => (isDisconnect ? connect(`account${++count}`) : (publishing.connectionIds[0] ?? ""));
      await runRound(name, true, await getConnection());
      // SQLite runs one transaction at a time in one process.
      const parallelRounds = fixture.engine === "postgres" ? rounds : 1;
      for (let round = 0; round < parallelRounds; round++) await runRound(name, false, await getConnection());
    });
  }

  test("a studio is deleted after a run has uploaded its files: the post is not sent (T10)", async () => {
    const setDeletedAt = (time: number | null) =>
      fixture.database.q.updateTable("studios").set({ deletedAt: time }).where("id", "=", owner().studio.id).execute();
    await request(owner(), await connect("deleted"));
    const text = `Post ${count}`;
    const { publisher } = deps();
    const prepare: typeof publisher.prepare = async (...args) => {
      const preparation = await publisher.prepare(...args);
      assert.equal(preparation.kind, "prepared");
      await setDeletedAt(fixture.clock());
      return preparation;
    };
    const publication = await claim();
    assert.ok(publication);
    await runPublication(
      { ...deps(), publisher: { ...publisher, prepare } },
      publication,
      new AbortController().signal,
    );
    assert.deepEqual(
      (await publishing.listSandboxPosts()).filter((post) => post.text === text),
      [],
    );
    await setDeletedAt(null);
  });

  // The last test, because it deletes the studio.
  test("a studio is deleted while a run looks up its post: the commit is not repeated (T10, PUB-2)", async () => {
    await request(owner(), await connect("looked-up"));
    const { publisher } = deps();
    let commitCount = 0;
    const unansweredPublisher: typeof publisher = {
      ...publisher,
      commit: async () => {
        commitCount++;
        return { kind: "unknown", message: "The platform did not respond." };
      },
      lookUp: async () => {
        await deleteStudio(deps(), owner(), { name: owner().studio.name });
        return { kind: "repeatable", ifRejected: "unconfirmed" };
      },
    };
    const publication = await claim();
    assert.ok(publication);
    await runPublication({ ...deps(), publisher: unansweredPublisher }, publication, new AbortController().signal);
    assert.equal(commitCount, 1);
  });
});
