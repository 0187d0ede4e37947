import assert from "node:assert/strict";
import { platformFetchLimits } from "#connectors/catalog.ts";
import type { Endpoints, Platform } from "#connectors/platform.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import type { PlatformConnection } from "#domain/platforms/connection.ts";
import { sealCredential } from "#domain/platforms/credentials.ts";
import { startConnect } from "#domain/platforms/connect-link.ts";
import { connectPlatform } from "#domain/platforms/connect-platform.ts";
import { finishConnect, maxConnections } from "#domain/platforms/finish-connect.ts";
import type { PlatformTokens } from "#domain/platforms/ports.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import type { PublicationView } from "#domain/publishing/publication.ts";
import { days, minutes } from "#lib/clock.ts";
import { createPublicFetch } from "#lib/public-fetch.ts";
import type { Fixture } from "./engines.ts";
import { isLongRun } from "./long-run.ts";
import { muxVideo } from "./muxed-videos.ts";
import { extractToken } from "./platform-fixture.ts";
import { startPublishing, type PublishingFixture } from "./publishing-fixture.ts";
import { jpeg, pdf } from "./samples.ts";
import { waitUntil } from "./wait-until.ts";

/** How many responses are lost in tests that look for duplicate posts. */
export const lostResponseCount = isLongRun ? 50 : 3;

export interface StandInAccount {
  platform: Platform;
  /** The stand-in's URL, and the endpoints that replace the platform's. */
  origin: string;
  endpoints: Partial<Endpoints>;
  account: { id: string; handle?: string };
  tokens: Pick<PlatformTokens, "accessToken" | "refreshToken">;
  app?: { clientId: string; clientSecret: string };
}

export interface TestFile {
  kind: "image" | "video" | "document";
  mimeType: string;
  filename: string;
  content: Buffer;
  altText?: string;
}

/** A service whose studio has one connected account, on a stand-in for its platform. */
export interface PlatformPublishing {
  publishing: PublishingFixture;
  connectionId: string;
  /** Creates a post with these files and publishes it. Returns the id of the publication. */
  publish(text: string, files?: readonly TestFile[]): Promise<string>;
  /** Waits until the publication has one of the states, for as long as the worker may retry. */
  waitForState(publicationId: string, ...states: string[]): Promise<PublicationView>;
  /** Publishes, and waits until the post is public. */
  publishAndWait(text: string, files?: readonly TestFile[]): Promise<PublicationView>;
  /** Changes the stored time of the first lookup to this many milliseconds ago. */
  backdateLookup(publicationId: string, ms: number): Promise<void>;
  /** Changes the text of the publication's post, as its owner. */
  editPost(publicationId: string, text: string): Promise<void>;
  /** Resolves an unconfirmed publication: the owner asks to publish it again. Returns the status of the response. */
  publishAgain(publicationId: string): Promise<number>;
  findConnection(): Promise<PlatformConnection>;
  storeTokens(tokens: Pick<PlatformTokens, "accessToken" | "refreshToken">): Promise<void>;
  /** Connects the account through OAuth. `authorize` consents at the platform and returns the callback URL. */
  connect(authorize: (location: string) => string): Promise<void>;
  close(): Promise<void>;
}

export async function startPlatformPublishing(fixture: Fixture, standIn: StandInAccount): Promise<PlatformPublishing> {
  const { platform, origin, account, app = { clientId: "the-client-id", clientSecret: "the-client-secret" } } = standIn;
  assert.ok(typeof platform.endpoints === "object");
  const redirectedPlatform = { ...platform, endpoints: { ...platform.endpoints, ...standIn.endpoints } };
  const publicFetch = createPublicFetch({ ...platformFetchLimits, privateHosts: new Set([new URL(origin).host]) });
  const publishing = await startPublishing(fixture, [], {
    platforms: [{ platform: redirectedPlatform, app, publicFetch }],
  });
  const { service, owner, api } = publishing;
  const { deps } = service;
  const storedId = await deps.platformStore.insertOrUpdate(
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
  assert.ok(storedId);
  const connectionId: string = storedId;

  const storeTokens: PlatformPublishing["storeTokens"] = async (tokens) => {
    const sealed = sealCredential(deps, { id: connectionId, studioId: owner.studio.id }, { tokens });
    const expiresAt = deps.clock() + days(60);
    const connectedBy = { userId: owner.user.id, at: deps.clock() };
    await deps.platformStore.connect(connectionId, sealed, { expiresAt, renewAt: expiresAt }, connectedBy);
  };
  await storeTokens(standIn.tokens);

  const publish: PlatformPublishing["publish"] = async (text, files = []) => {
    const { id: postId } = await createPost(deps, owner, { title: "Title", body: text });
    for (const { content, altText, ...file } of files) {
      const input = { ...file, base64: content.toString("base64") };
      const { assetId } = await uploadAssetInline(deps, owner, input);
      if (altText !== undefined) await updateAsset(deps, owner, { assetId, altText });
      await attachAsset(deps, owner, { postId, assetId });
    }
    const response = await api("POST", `/posts/${postId}/publications`, { connectionIds: [connectionId] });
    assert.equal(response.status, 201, JSON.stringify(response.body));
    return (response.body["publications"] as PublicationView[])[0]?.id ?? "";
  };

  const waitForState: PlatformPublishing["waitForState"] = async (publicationId, ...states) => {
    let view: PublicationView | undefined;
    const isReached = async (): Promise<boolean> => {
      view = (await api("GET", `/publications/${publicationId}`)).body as unknown as PublicationView;
      return states.includes(view.state);
    };
    await waitUntil(isReached, { timeoutMs: 180_000, intervalMs: 50 }).catch((error: unknown) => {
      throw new Error(`still ${JSON.stringify(view)}`, { cause: error });
    });
    assert.ok(view);
    return view;
  };

  const backdateLookup: PlatformPublishing["backdateLookup"] = async (publicationId, ms) => {
    const tryUpdate = async (): Promise<boolean> => {
      const { progress } = (await deps.publications.find(owner.studio.id, publicationId)) ?? {};
      if (progress?.lookedUpSince === undefined) return false;
      const change = { progress: { ...progress, lookedUpSince: (await deps.publications.getTime()) - ms } };
      return (await deps.publications.update(publicationId, change, { states: ["committing"] })) !== undefined;
    };
    await waitUntil(tryUpdate, { timeoutMs: 60_000, intervalMs: 50 });
  };

  return {
    publishing,
    backdateLookup,
    connectionId,
    publish,
    waitForState,
    async editPost(publicationId, text) {
      const { postId = "" } = (await deps.publications.find(owner.studio.id, publicationId)) ?? {};
      await updatePost(deps, owner, { postId, body: text });
    },
    publishAgain: async (publicationId) =>
      (await api("POST", `/publications/${publicationId}/resolve`, { outcome: "retry" })).status,
    async publishAndWait(text, files) {
      const view = await waitForState(await publish(text, files), "published", "failed", "unconfirmed");
      assert.equal(view.state, "published", JSON.stringify(view.problem));
      return view;
    },
    async findConnection() {
      const connection = await deps.platformStore.find(owner.studio.id, connectionId);
      assert.ok(connection);
      return connection;
    },
    storeTokens,
    async connect(authorize) {
      const { connectUrl } = await connectPlatform(deps, owner, { platform: platform.id });
      const { location, ...pending } = await startConnect(deps, owner, { token: extractToken(connectUrl) });
      await finishConnect(deps, owner, { callback: new URL(authorize(location)), pending });
    },
    close: () => publishing.close(),
  };
}

interface LostResponseTest {
  publisher: PlatformPublishing;
  standIn: { faults: { dropPublishResponses: number } };
  files?: readonly TestFile[];
  listPosts(text: string): readonly { url: string | null }[];
}

/** Publishes posts whose responses are lost, and asserts that each one is public once and that its URL is known. */
export async function assertPostsAreFoundAfterLostResponses(lostResponseTest: LostResponseTest): Promise<void> {
  const { publisher, standIn, files, listPosts } = lostResponseTest;
  const texts = Array.from({ length: lostResponseCount }, (_, i) => `Lost response ${i}`);
  standIn.faults.dropPublishResponses = lostResponseCount;
  const ids = await Promise.all(texts.map((text) => publisher.publish(text, files)));
  const urls = [];
  for (const id of ids) urls.push((await publisher.waitForState(id, "published", "unconfirmed")).url);
  assert.equal(standIn.faults.dropPublishResponses, 0);
  assert.deepEqual(
    texts.map((text) => listPosts(text).map(({ url }) => url)),
    urls.map((url) => [url]),
  );
}

interface EditedPostTest {
  publisher: PlatformPublishing;
  standIn: { faults: { dropPublishRequests: number } };
  files?: readonly TestFile[];
  listPosts(text: string): readonly { url: string | null }[];
  /** Publishes a container at the stand-in. */
  publishContainer(containerId: string): Promise<Response>;
}

/**
 * Loses the commit of a post, edits the post and publishes it again. Asserts that one post is public: the first text if
 * its container became public in the meantime, otherwise the edited text.
 */
export async function assertEditedPostAppearsOnce(editedPostTest: EditedPostTest): Promise<void> {
  const { publisher, standIn, files, listPosts, publishContainer } = editedPostTest;
  const { service, owner } = publisher.publishing;
  for (const becomesPublic of [true, false]) {
    const texts = [`Not confirmed ${becomesPublic}`, `Edited ${becomesPublic}`] as const;
    standIn.faults.dropPublishRequests = 1;
    const id = await publisher.publish(texts[0], files);
    await publisher.backdateLookup(id, minutes(6));
    await publisher.waitForState(id, "unconfirmed");
    await publisher.editPost(id, "Too long ".repeat(300));
    assert.equal(await publisher.publishAgain(id), 409);
    await publisher.editPost(id, texts[1]);
    const { progress } = (await service.deps.publications.find(owner.studio.id, id)) ?? {};
    if (becomesPublic) assert.equal((await publishContainer(progress?.containerId ?? "")).status, 200);
    assert.equal(await publisher.publishAgain(id), 200);
    const { state, url } = await publisher.waitForState(id, "published", "unconfirmed", "failed");
    const { content } = (await service.deps.publications.find(owner.studio.id, id)) ?? {};
    assert.deepEqual([state, content?.text], ["published", texts[becomesPublic ? 0 : 1]]);
    assert.deepEqual(
      texts.map((text) => listPosts(text).map((post) => post.url)),
      becomesPublic ? [[url], []] : [[], [url]],
    );
  }
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

/** More than 4 MiB, so that platforms receive it in several parts. Within the limits of every platform. */
export async function createTestVideo(): Promise<TestFile> {
  const content = await muxVideo("mp4", { seconds: 4, frameRate: 30, frameBytes: 38_000, width: 720, height: 720 });
  return { kind: "video", mimeType: "video/mp4", filename: "tour.mp4", content };
}

export const createTestDocument = (): TestFile => ({
  kind: "document",
  mimeType: "application/pdf",
  filename: "Price list.pdf",
  content: pdf,
});
