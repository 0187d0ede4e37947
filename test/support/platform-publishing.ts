import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { after, before } from "node:test";
import { platformFetchLimits } from "#connectors/catalog.ts";
import type { ContainerProgress } from "#connectors/graph/containers.ts";
import type { Endpoints, OAuthPlatform } from "#connectors/platform.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { importAssetFromUrl } from "#domain/assets/import-file.ts";
import { inlineLimitBytes } from "#domain/model/asset-kinds.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { PlatformConnection } from "#domain/model/connection.ts";
import { sealCredential } from "#domain/steps/credentials.ts";
import { startConnect } from "#domain/platforms/connect-link.ts";
import { connectPlatform } from "#domain/platforms/connect-platform.ts";
import { readChoices } from "#domain/platforms/list-platforms.ts";
import type { PostOptions } from "#portable/post-options.ts";
import { finishConnect, maxConnections } from "#domain/platforms/finish-connect.ts";
import type { PlatformTokens } from "#domain/ports/platforms.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import type { Publication, PublicationView } from "#domain/model/publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { days, minutes, type Clock } from "#lib/clock.ts";
import { createPublicFetch } from "#lib/public-fetch.ts";
import type { ContainerStandIn } from "../servers/graph-containers.ts";
import type { Fixture } from "./engines.ts";
import { createGraphClient } from "./graph-client.ts";
import { isLongRun } from "./long-run.ts";
import { muxVideo } from "./muxed-videos.ts";
import { extractToken } from "./platform-fixture.ts";
import { startPublishing, type PublishingFixture } from "./publishing-fixture.ts";
import { jpeg, manyFrameGif, pdf } from "./samples.ts";

/** How many responses are lost in tests that look for duplicate posts. */
export const lostResponseCount = isLongRun ? 50 : 3;

/** How often the worker is killed at the commit. */
export const killCount = isLongRun ? 20 : 5;

/** A stand-in for a platform, and the account on it that a test connects. */
export interface StandInAccount<StandIn> {
  platform: OAuthPlatform;
  standIn: StandIn;
  /** The endpoints that replace the platform's. */
  endpoints: Partial<Endpoints>;
  account: { id: string; handle?: string };
  tokens: Tokens;
  /** The options of every post, unless a test changes them. */
  options?: PostOptions;
}

interface StandInServer {
  origin: string;
  posts(): readonly { text: string }[];
  close(): Promise<void>;
}

type Tokens = Pick<PlatformTokens, "accessToken" | "refreshToken">;
type PostOf<StandIn extends StandInServer> = ReturnType<StandIn["posts"]>[number];

export interface TestFile {
  kind: "image" | "video" | "document";
  mimeType: string;
  filename: string;
  content: Buffer;
  altText?: string;
}

/** A service whose studio has one connected account, on a stand-in for its platform. Both use the fixture's clock. */
export interface PlatformPublishing<StandIn extends StandInServer> extends PublishingFixture {
  standIn: StandIn;
  connectionId: string;
  /** Ends the worker's process at the next commit: before it is sent, or after the platform has responded. */
  killAtCommit(when: "before" | "after"): void;
  /** The public posts that have this text. */
  listPosts(text: string): PostOf<StandIn>[];
  /** Creates a post with these files, options and follow-ups and requests its publication. Returns its id. */
  request(
    text: string,
    files?: readonly TestFile[],
    changedOptions?: PostOptions,
    followUps?: string[],
  ): Promise<string>;
  /** Publishes, and asserts that there is one public post. */
  publish(
    text: string,
    files?: readonly TestFile[],
    changedOptions?: PostOptions,
    followUps?: string[],
  ): Promise<{ view: PublicationView; post: PostOf<StandIn> }>;
  /** Publishes, and asserts that it fails with this problem, and that nothing with this text is public. */
  assertFails(code: string, text: string, files?: readonly TestFile[]): Promise<PublicationView>;
  /** Loses the commit of a post. Returns the id of its publication, which is unconfirmed. */
  requestUnconfirmed(text: string, files?: readonly TestFile[]): Promise<string>;
  find(publicationId: string): Promise<Publication>;
  /** Changes the text of the publication's post, as its owner. */
  editPost(publicationId: string, text: string): Promise<void>;
  /** Resolves an unconfirmed publication: the owner asks to publish it again. Returns the status of the response. */
  publishAgain(publicationId: string): Promise<number>;
  findConnection(): Promise<PlatformConnection>;
  storeTokens(tokens: Tokens): Promise<void>;
  /** Connects the account through OAuth. `authorize` consents at the platform and returns the callback URL. */
  connect(authorize: (location: string) => string): Promise<void>;
}

/** Starts a stand-in and a service before the tests of the suite. Only tests and hooks may read the result. */
export function usePlatform<StandIn extends StandInServer>(
  fixture: Fixture,
  start: (clock: Clock) => Promise<StandInAccount<StandIn>>,
): PlatformPublishing<StandIn> {
  const publisher = {} as PlatformPublishing<StandIn>;
  before(async () => {
    Object.assign(publisher, await startPlatformPublishing(fixture, await start(fixture.clock)));
  });
  after(async () => {
    await publisher.close?.();
    await publisher.standIn?.close();
  });
  return publisher;
}

async function startPlatformPublishing<StandIn extends StandInServer>(
  fixture: Fixture,
  { platform, standIn, endpoints, account, tokens: initialTokens, options = {} }: StandInAccount<StandIn>,
): Promise<PlatformPublishing<StandIn>> {
  const app = { clientId: "the-client-id", clientSecret: "the-client-secret" };
  assert.ok(typeof platform.endpoints === "object");
  const redirectedPlatform = { ...platform, endpoints: { ...platform.endpoints, ...endpoints } };
  const privateHosts = new Set([new URL(standIn.origin).host]);
  const publicFetch = createPublicFetch({ ...platformFetchLimits, privateHosts });
  const publishing = await startPublishing(fixture, [], {
    clock: fixture.clock,
    platforms: [{ platform: redirectedPlatform, app, publicFetch }],
  });
  const { owner, api, waitForState } = publishing;
  const { deps } = publishing.service;
  const connectionId = await deps.platformStore.insertOrUpdate(
    {
      id: deps.newId("platformConnection"),
      studioId: owner.studio.id,
      platform: platform.id,
      instance: "",
      account: { handle: null, name: null, avatarUrl: null, profileUrl: null, ...account },
      limits: null,
      connectedAt: deps.clock(),
    },
    maxConnections,
  );
  assert.ok(connectionId);

  let kill: "before" | "after" | undefined;
  const { publisher: realPublisher } = deps;
  deps.publisher = {
    ...realPublisher,
    async commit(request) {
      const plannedKill = kill;
      kill = undefined;
      const outcome = plannedKill === "before" ? undefined : await realPublisher.commit(request);
      if (plannedKill !== undefined || !outcome) throw new Error("the worker was killed");
      return outcome;
    },
  };

  const publisher: PlatformPublishing<StandIn> = {
    ...publishing,
    standIn,
    connectionId,
    killAtCommit: (when) => void (kill = when),
    listPosts: (text) => (standIn.posts() as PostOf<StandIn>[]).filter((post) => post.text === text),
    async request(text, files = [], changedOptions = {}, followUps = []) {
      const { id: postId } = await createPost(deps, owner, { title: "Title", body: text });
      for (const { content, altText, ...file } of files) {
        const { assetId } = await storeFile(publishing, file, content);
        if (altText !== undefined) await updateAsset(deps, owner, { assetId, altText });
        await attachAsset(deps, owner, { postId, assetId });
      }
      await readChoices(deps, owner, { connectionId });
      const chosenOptions = { ...options, ...changedOptions };
      if (Object.keys(chosenOptions).length > 0 || followUps.length > 0)
        await updatePost(deps, owner, { postId, variants: [{ connectionId, options: chosenOptions, followUps }] });
      const { publications } = await publishPost(deps, owner, { postId, connectionIds: [connectionId] });
      return publications[0]?.id ?? "";
    },
    async publish(text, files, changedOptions, followUps) {
      const id = await publisher.request(text, files, changedOptions, followUps);
      const view = await waitForState(id, "published", "failed", "unconfirmed");
      assert.equal(view.state, "published", JSON.stringify(view.problem));
      const [post, ...others] = publisher.listPosts(text);
      assert.ok(post && others.length === 0, `${others.length + 1} posts`);
      return { view, post };
    },
    async assertFails(code, text, files) {
      const view = await waitForState(await publisher.request(text, files), "failed", "published", "unconfirmed");
      assert.deepEqual([view.problem?.code, publisher.listPosts(text)], [code, []]);
      return view;
    },
    async requestUnconfirmed(text, files) {
      const { faults } = standIn as unknown as { faults: { dropPublishRequests: number } };
      faults.dropPublishRequests = 1;
      const id = await publisher.request(text, files);
      await publishing.run(id);
      fixture.clock.advance(minutes(6));
      await waitForState(id, "unconfirmed", "published");
      assert.deepEqual([faults.dropPublishRequests, publisher.listPosts(text)], [0, []]);
      return id;
    },
    async find(publicationId) {
      const publication = await deps.publications.find(owner.studio.id, publicationId);
      assert.ok(publication);
      return publication;
    },
    async editPost(publicationId, text) {
      const { postId } = await publisher.find(publicationId);
      await updatePost(deps, owner, { postId, body: text });
    },
    publishAgain: async (publicationId) =>
      (await api("POST", `/publications/${publicationId}/resolve`, { outcome: "retry" })).status,
    async findConnection() {
      const connection = await deps.platformStore.find(owner.studio.id, connectionId);
      assert.ok(connection);
      return connection;
    },
    async storeTokens(tokens) {
      const sealed = sealCredential(deps, { id: connectionId, studioId: owner.studio.id }, { tokens });
      const expiresAt = deps.clock() + days(60);
      const connectedBy = { userId: owner.user.id, at: deps.clock() };
      await deps.platformStore.connect(connectionId, sealed, { expiresAt, renewAt: expiresAt }, connectedBy);
    },
    async connect(authorize) {
      const { connectUrl } = await connectPlatform(deps, owner, { platform: platform.id });
      const { location, ...pending } = await startConnect(deps, owner, { token: extractToken(connectUrl) });
      await finishConnect(deps, owner, { callback: new URL(authorize(location)), pending });
    },
  };
  await publisher.storeTokens(initialTokens);
  return publisher;
}

/** Publishes posts, ending the worker's process at each commit, and asserts that each one is public once. */
export async function assertPostsAppearOnceAfterKills<StandIn extends StandInServer>(
  publisher: PlatformPublishing<StandIn>,
  files: readonly TestFile[],
  lastStates: readonly string[] = ["published"],
): Promise<void> {
  for (let i = 0; i < killCount; i++) {
    const text = `Killed ${i} with ${files[0]?.kind}`;
    const isSent = i % 2 === 0;
    const id = await publisher.request(text, files);
    publisher.killAtCommit(isSent ? "after" : "before");
    await assert.rejects(async () => {
      for (let runs = 0; runs < 10; runs++) await publisher.run(id);
    }, /killed/);
    const { state } = await publisher.waitForState(id, "published", "unconfirmed", "failed");
    assert.ok(lastStates.includes(state), state);
    assert.equal(publisher.listPosts(text).length, isSent || state === "published" ? 1 : 0, text);
  }
}

/** A file that is too large for an inline upload arrives as an import. */
function storeFile(
  { service: { deps }, owner }: PublishingFixture,
  { kind, mimeType, filename }: Pick<TestFile, "kind" | "mimeType" | "filename">,
  content: Buffer,
): Promise<{ assetId: string }> {
  if (content.length <= inlineLimitBytes)
    return uploadAssetInline(deps, owner, { kind, mimeType, filename, base64: content.toString("base64") });
  const url = new URL(`https://files.example/${filename}`);
  const openUrl = async () => ({
    url,
    status: 200,
    headers: { "content-type": mimeType },
    body: Readable.from([content]),
  });
  return importAssetFromUrl({ ...deps, openUrl }, owner, { url: url.href, kind });
}

interface LosingStandIn extends StandInServer {
  faults: { dropPublishResponses: number };
}

/** Publishes posts whose responses are lost, and asserts that each one is public once and that its URL is known. */
export async function assertPostsAreFoundAfterLostResponses<StandIn extends LosingStandIn>(
  publisher: PlatformPublishing<StandIn>,
  toUrl: (post: PostOf<StandIn>) => string,
  files?: readonly TestFile[],
): Promise<void> {
  const { faults } = publisher.standIn;
  faults.dropPublishResponses = lostResponseCount;
  for (let i = 0; i < lostResponseCount; i++) {
    const { view, post } = await publisher.publish(`Lost & found <${i}>: example.com, https://a.example/b`, files);
    assert.equal(view.url, toUrl(post));
  }
  assert.equal(faults.dropPublishResponses, 0);
}

/**
 * Loses the commit of a post, edits the post and publishes it again. Asserts that one post is public: the first text if
 * its container became public in the meantime, otherwise the edited text.
 */
export async function assertEditedPostAppearsOnce(
  publisher: PlatformPublishing<ContainerStandIn>,
  publishEdge: string,
  files?: readonly TestFile[],
): Promise<void> {
  for (const becomesPublic of [true, false]) {
    const texts = [`Not confirmed ${becomesPublic}`, `Edited ${becomesPublic}`] as const;
    const id = await publisher.requestUnconfirmed(texts[0], files);
    await publisher.editPost(id, "Too long ".repeat(300));
    assert.equal(await publisher.publishAgain(id), 409);
    await publisher.editPost(id, texts[1]);
    if (becomesPublic) await publishContainer(publisher, publishEdge, id);
    assert.equal(await publisher.publishAgain(id), 200);
    const { state, url } = await publisher.waitForState(id, "published", "unconfirmed", "failed");
    const { content } = await publisher.find(id);
    assert.deepEqual([state, content?.text], ["published", texts[becomesPublic ? 0 : 1]]);
    assert.deepEqual(
      texts.map((text) => publisher.listPosts(text).map((post) => post.url)),
      becomesPublic ? [[url], []] : [[], [url]],
    );
  }
}

/** Reads the results of a publication now. Returns the numbers by name, and why the others are not known. */
export async function refreshResults(
  { api }: Pick<PublishingFixture, "api">,
  { clock }: Fixture,
  publicationId: string,
): Promise<{ metrics: unknown; reasons: unknown }> {
  clock.advance(minutes(2)); // a person reads at most once a minute
  const { status, body } = await api("POST", `/publications/${publicationId}/results/refresh`);
  assert.equal(status, 200, JSON.stringify(body));
  return { metrics: body["metrics"], reasons: body["reasons"] };
}

/** Publishes the container of an unconfirmed publication at the stand-in. */
export async function publishContainer(
  { standIn, find }: PlatformPublishing<ContainerStandIn>,
  publishEdge: string,
  publicationId: string,
): Promise<void> {
  const { containerId = "" } = ((await find(publicationId)).progress?.platform ?? {}) as ContainerProgress;
  const client = createGraphClient(standIn.origin, () => standIn.accessToken);
  const { status } = await client.post(`/${standIn.account.id}/${publishEdge}`, { creation_id: containerId });
  assert.equal(status, 200);
}

/** Asserts that a publication waits, and uploads nothing, while the account's quota is used up. */
export async function assertWaitsForQuota(
  publisher: PlatformPublishing<ContainerStandIn>,
  files?: readonly TestFile[],
): Promise<void> {
  const { standIn } = publisher;
  standIn.quotaTotal = 0;
  const id = await publisher.request("Over the quota", files);
  const countUploads = () => standIn.requests.filter(({ method }) => method === "POST").length;
  const uploadsBefore = countUploads();
  for (let runs = 0; runs < 2; runs++) await publisher.run(id);
  assert.deepEqual([(await publisher.find(id)).state, countUploads() - uploadsBefore], ["scheduled", 0]);
  standIn.quotaTotal = 1000;
  await publisher.waitForState(id, "published");
  assert.equal(publisher.listPosts("Over the quota").length, 1);
}

interface ExpiringStandIn extends StandInServer {
  expireAccessToken(): void;
  issueAccessToken(): string;
}

/** Asserts that an expired token fails a publication, and that the account can be connected again. */
export async function assertNeedsReconnect(
  publisher: PlatformPublishing<ExpiringStandIn>,
  files?: readonly TestFile[],
): Promise<void> {
  publisher.standIn.expireAccessToken();
  await publisher.assertFails("connect_expired", "Expired", files);
  assert.equal((await publisher.findConnection()).state, "needs_reconnect");
  await publisher.storeTokens({ accessToken: publisher.standIn.issueAccessToken() });
  await publisher.publish("Connected again", files);
}

export async function createTestImage(altText: string, width = 800, height = 600): Promise<TestFile> {
  return {
    kind: "image",
    mimeType: "image/jpeg",
    filename: "vase.jpg",
    content: await jpeg(width, height),
    altText,
  };
}

let videoPromise: Promise<Buffer> | undefined;

/** More than 4 MiB, so that platforms receive it in several parts. Within the limits of every platform. */
export async function createTestVideo(): Promise<TestFile> {
  videoPromise ??= muxVideo("mp4", { seconds: 4, frameRate: 30, frameBytes: 38_000, width: 720, height: 720 });
  return { kind: "video", mimeType: "video/mp4", filename: "tour.mp4", content: await videoPromise };
}

/** Three frames. */
export const createTestGif = (altText?: string): TestFile => ({
  kind: "image",
  mimeType: "image/gif",
  filename: "loop.gif",
  content: manyFrameGif(3),
  ...(altText === undefined ? {} : { altText }),
});

export const createTestDocument = (): TestFile => ({
  kind: "document",
  mimeType: "application/pdf",
  filename: "Price list.pdf",
  content: pdf,
});
