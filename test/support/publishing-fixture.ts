import assert from "node:assert/strict";
import type { FileStore } from "#domain/assets/model/file-store.ts";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { createPost } from "#domain/posts/create-post.ts";
import type { UsedSlots } from "#domain/publishing/ports.ts";
import { unscheduledColumns } from "#domain/publishing/publish-time.ts";
import type { PublicationState } from "#domain/publishing/states.ts";
import type { PublicationView } from "#domain/publishing/publication.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { unsealCredential, sealCredential } from "#domain/platforms/credentials.ts";
import { systemClock } from "#lib/clock.ts";
import { createDeps, type Fixture } from "./engines.ts";
import { createCookieJar, createHttpBrowser, signIn, type HttpBrowser } from "./http-browser.ts";
import { newConnection } from "./platform-fixture.ts";
import { startService, type RunningService, type ServiceOptions } from "./service.ts";
import { newStudio, signInUser } from "./users.ts";
import { png } from "./samples.ts";
import { waitUntil } from "./wait-until.ts";

export interface PublishingFixture {
  service: RunningService;
  browser: HttpBrowser;
  owner: Caller;
  /** The connected sandbox accounts. */
  connectionIds: string[];
  /** Calls the web API as the owner. */
  api(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }>;
  setFaults(faults: Record<string, number>): Promise<void>;
  listSandboxPosts(): Promise<SandboxPostView[]>;
  /** Waits until a publication has one of the states. */
  waitForState(publicationId: string, ...states: string[]): Promise<PublicationView>;
  close(): Promise<void>;
}

export interface SandboxPostView {
  id: string;
  account: string;
  text: string;
  media: { mimeType: string; bytes: number; altText: string | null }[];
  createdAt: string;
}

/** A service with its worker, and an owner whose studio has connected sandbox accounts. */
export async function startPublishing(
  fixture: Fixture,
  accounts: readonly string[] = ["harbour"],
  options: ServiceOptions & { runsWorker?: boolean; files?: FileStore } = {},
): Promise<PublishingFixture> {
  const { runsWorker = true, files, ...serviceOptions } = options;
  const deps = createDeps(fixture.database, systemClock);
  const service = await startService(files ? { ...deps, files } : deps, {
    config: { areRateLimitsEnabled: false },
    ...serviceOptions,
  });
  if (runsWorker) service.startWorker();
  const browser = createHttpBrowser(createCookieJar());
  await signIn(service.base, `owner-${Math.random().toString(36).slice(2)}@example.com`, browser);
  const { user } = (await (await browser.send(`${service.base}/api/me`)).json()) as { user: Caller["user"] };
  const owner = await newStudio(service.deps, await signInUser(service.deps, user));
  const api: PublishingFixture["api"] = async (method, path, body) => {
    const response = await browser.send(`${service.base}/api/studios/${owner.studio.id}${path}`, {
      method,
      headers: { "content-type": "application/json", origin: service.base, "sec-fetch-site": "same-origin" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>) };
  };
  for (const account of accounts) {
    const { body } = await api("POST", "/platforms/connect", { platform: "sandbox" });
    const sandboxPage = await browser.submit(await browser.open(String(body["connectUrl"])));
    const resultPage = await browser.submit(sandboxPage, { account, decision: "allow" });
    assert.match(resultPage.text, /Sandbox is connected/);
  }
  const connections = await service.deps.platformStore.list(owner.studio.id);
  return {
    service,
    browser,
    owner,
    connectionIds: accounts.map((account) => {
      const connection = connections.find((candidate) => candidate.account.handle === account);
      return connection?.id ?? "";
    }),
    api,
    async setFaults(faults) {
      const response = await fetch(`${service.base}/sandbox/faults`, { method: "PUT", body: JSON.stringify(faults) });
      assert.equal(response.status, 204);
    },
    async listSandboxPosts() {
      const response = await fetch(`${service.base}/sandbox/posts`);
      assert.equal(response.status, 200);
      return ((await response.json()) as { posts: SandboxPostView[] }).posts;
    },
    async waitForState(publicationId, ...states) {
      let view: PublicationView | undefined;
      await waitUntil(
        async () => {
          view = (await api("GET", `/publications/${publicationId}`)).body as unknown as PublicationView;
          return states.includes(view.state);
        },
        // Longer than the default, because a publication may convert several images.
        { timeoutMs: 60_000, description: `the publication is ${states.join(" or ")}` },
      ).catch((error: unknown) => {
        throw new Error(`still ${JSON.stringify(view)}`, { cause: error });
      });
      assert.ok(view);
      return view;
    },
    async close() {
      await service.stopWorker();
      await service.close();
    },
  };
}

/** For a claim of the only due publication. */
export const oneSlot: UsedSlots = { publicationIds: [], maxPerStudio: 1, maxPerHost: 1 };

/** Uploads an image with alt text and attaches it to the post. */
export async function addImage(
  { service, owner }: Pick<PublishingFixture, "service" | "owner">,
  postId: string,
  altText: string,
  { file, mimeType = "image/png" }: { file?: Buffer; mimeType?: string } = {},
): Promise<void> {
  const { deps } = service;
  const image = { kind: "image", mimeType, filename: `vase.${mimeType.slice("image/".length)}` } as const;
  const base64 = (file ?? (await png())).toString("base64");
  const { assetId } = await uploadAssetInline(deps, owner, { ...image, base64 });
  await updateAsset(deps, owner, { assetId, altText });
  await attachAsset(deps, owner, { postId, assetId });
}

/** Adds connections of this platform that use the credentials of the first connected account. Returns their ids. */
export async function addConnections(
  { service, owner, connectionIds }: PublishingFixture,
  platform: string,
  count: number,
): Promise<string[]> {
  const { deps } = service;
  const source = await deps.platformStore.find(owner.studio.id, connectionIds[0] ?? "");
  assert.ok(source?.credential);
  const { tokens } = unsealCredential(deps, source, source.credential);
  const newIds: string[] = [];
  for (let i = 0; i < count; i++) {
    const connection = { id: deps.newId("platformConnection"), studioId: owner.studio.id };
    const account = { ...source.account, id: connection.id, handle: `${platform}-${i}` };
    const { instance } = source;
    await deps.platformStore.insertOrUpdate(
      { ...connection, platform, instance, account, limits: null, connectedAt: deps.clock() },
      1000,
    );
    const connectedBy = { userId: owner.user.id, at: deps.clock() };
    const times = { expiresAt: null, renewAt: null };
    await deps.platformStore.connect(connection.id, sealCredential(deps, connection, { tokens }), times, connectedBy);
    newIds.push(connection.id);
  }
  return newIds;
}

/** Stores a publication of a new post in this state, without calling a platform. Returns its id. */
export async function newPublication(
  deps: Deps,
  owner: Caller,
  state: PublicationState,
  platform?: string,
): Promise<string> {
  const post = await createPost(deps, owner, { title: "Title", body: "Body" });
  const publicationId = deps.newId("publication");
  const isInserted = await deps.publications.insert({
    id: publicationId,
    studioId: owner.studio.id,
    postId: post.id,
    connectionId: await newConnection(deps, owner, "studio", platform),
    state,
    includesTitle: false,
    revision: post.revision,
    digest: "",
    approvedRevision: null,
    approvedTime: null,
    requestedBy: owner.user.id,
    requestedGrantId: null,
    requestedClientId: null,
    requestedClientName: null,
    approvedBy: null,
    voidedDigest: null,
    createdAt: deps.clock(),
    publishedAt: null,
    url: null,
    remoteId: null,
    problem: null,
    content: null,
    progress: null,
    commitKey: null,
    committedAt: null,
    fence: 0,
    scheduledFor: null,
    ...unscheduledColumns,
  });
  assert.ok(isInserted);
  return publicationId;
}
