import assert from "node:assert/strict";
import { once } from "node:events";
import type { FileStore } from "#domain/ports/file-store.ts";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import type { UsedSlots } from "#domain/ports/publications.ts";
import { unscheduledColumns } from "#domain/model/publish-time.ts";
import type { PublicationState } from "#domain/model/publication-states.ts";
import type { PublicationView } from "#domain/model/publication.ts";
import { attachAsset } from "#domain/assets/attach-asset.ts";
import { updateAsset } from "#domain/assets/update-asset.ts";
import { uploadAssetInline } from "#domain/assets/upload-asset-inline.ts";
import { sealCredential, unsealCredential } from "#domain/steps/credentials.ts";
import { createSessions } from "#auth/sign-in.ts";
import { runPublication } from "#domain/jobs/publishing/run-publication.ts";
import { seconds, systemClock } from "#lib/clock.ts";
import type { TestClock } from "./clock.ts";
import { createDeps, type Fixture, type TestDeps } from "./engines.ts";
import { createHttpBrowser, type HttpBrowser } from "./http-browser.ts";
import { newConnection } from "./platform-fixture.ts";
import { startService, type RunningService, type ServiceOptions } from "./service.ts";
import { newStudio } from "./users.ts";
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
  /** Creates a post of the owner, and returns its id. */
  newPost(body: string): Promise<string>;
  /** Calls the web API to publish a post; returns the publication to the first account. */
  requestPublication(postId: string, connectionIds: readonly string[], request?: object): Promise<PublicationView>;
  setFaults(faults: Record<string, number>): Promise<void>;
  listSandboxPosts(): Promise<SandboxPostView[]>;
  /** Waits until a publication has one of the states. With a test clock, runs it until then. */
  waitForState(publicationId: string, ...states: string[]): Promise<PublicationView>;
  /** Only with a test clock: advances it to the next run of the publication, and does that run. */
  run(publicationId: string): Promise<void>;
  close(): Promise<void>;
}

export interface SandboxPostView {
  id: string;
  account: string;
  text: string;
  media: { mimeType: string; bytes: number; altText: string | null }[];
  options: Record<string, string>;
  replyTo: string | null;
  createdAt: string;
}

/**
 * A service with its worker, and an owner whose studio has connected sandbox accounts. With a test clock, the service has
 * no worker, and uses that clock instead of the database's: retries and lookups take no time.
 */
export async function startPublishing(
  fixture: Fixture,
  accounts: readonly string[] = ["harbour"],
  options: ServiceOptions & { runsWorker?: boolean; files?: FileStore; clock?: TestClock } = {},
): Promise<PublishingFixture> {
  const { clock, runsWorker = clock === undefined, files, ...serviceOptions } = options;
  const deps = clock
    ? withTestClock(createDeps(fixture.database, clock), clock)
    : createDeps(fixture.database, systemClock);
  const service = await startService(files ? { ...deps, files } : deps, {
    config: { areRateLimitsEnabled: false },
    ...serviceOptions,
  });
  if (runsWorker) service.startWorker();
  const owner = await newStudio(service.deps);
  const browser = createHttpBrowser();
  const sessions = createSessions({ deps: service.deps, base: service.base });
  browser.cookies.store(new URL(service.base), [await sessions.start(owner.user.id, undefined)]);
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

  async function run(publicationId: string): Promise<void> {
    assert.ok(clock);
    const { publications, publicationRuns } = service.deps;
    const publication = await publications.find(owner.studio.id, publicationId);
    const nextRunAt = publication?.nextRunAt ?? publication?.leaseExpiresAt ?? null;
    assert.ok(nextRunAt !== null, `no run is planned: ${JSON.stringify(publication)}`);
    if (nextRunAt > clock()) clock.advance(nextRunAt - clock());
    const claim = { now: clock(), leaseExpiresAt: clock() + seconds(30), slots: oneSlot };
    const claimed = (await publicationRuns.claimAbandoned(claim)) ?? (await publicationRuns.claimDue(claim));
    assert.ok(claimed);
    await runPublication(service.deps, claimed, new AbortController().signal);
  }

  async function waitForState(publicationId: string, ...states: string[]): Promise<PublicationView> {
    let view: PublicationView | undefined;
    const isReached = async (): Promise<boolean> => {
      view = (await api("GET", `/publications/${publicationId}`)).body as unknown as PublicationView;
      return states.includes(view.state);
    };
    const description = `the publication is ${states.join(" or ")}`;
    const runUntilReached = async (): Promise<void> => {
      for (let runs = 0; !(await isReached()); runs++) {
        assert.ok(runs < 200, description);
        await run(publicationId);
      }
    };
    // Longer than the default, because a publication may convert several images.
    const wait = clock ? runUntilReached() : waitUntil(isReached, { timeoutMs: 60_000, description });
    await wait.catch((error: unknown) => {
      throw new Error(`still ${JSON.stringify(view)}`, { cause: error });
    });
    assert.ok(view);
    return view;
  }

  return {
    service,
    browser,
    owner,
    connectionIds: accounts.map((account) => {
      const connection = connections.find((candidate) => candidate.account.handle === account);
      return connection?.id ?? "";
    }),
    api,
    newPost: async (body) => (await createPost(service.deps, owner, { title: "Title", body })).id,
    async requestPublication(postId, publishedTo, request = {}) {
      const input = { connectionIds: publishedTo, ...request };
      const { status, body } = await api("POST", `/posts/${postId}/publications`, input);
      assert.equal(status, 201, JSON.stringify(body));
      const [publication] = body["publications"] as PublicationView[];
      assert.ok(publication);
      return publication;
    },
    async setFaults(faults) {
      const response = await fetch(`${service.base}/sandbox/faults`, { method: "PUT", body: JSON.stringify(faults) });
      assert.equal(response.status, 204);
    },
    async listSandboxPosts() {
      const response = await fetch(`${service.base}/sandbox/posts`);
      assert.equal(response.status, 200);
      return ((await response.json()) as { posts: SandboxPostView[] }).posts;
    },
    waitForState,
    run,
    async close() {
      await service.stopWorker();
      await service.close();
    },
  };
}

function withTestClock(deps: TestDeps, clock: TestClock): TestDeps {
  const withClock = (publications: TestDeps["publications"]) => ({ ...publications, getTime: async () => clock() });
  return {
    ...deps,
    publications: withClock(deps.publications),
    transact: (authority, work, transactOptions) =>
      deps.transact(authority, (tx) => work({ ...tx, publications: withClock(tx.publications) }), transactOptions),
    // Calls with a signal limit how long other work may take, and this clock does not advance while it runs.
    sleep: async (ms, signal) => void (signal ? await once(signal, "abort") : clock.advance(ms)),
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
  deps: TestDeps,
  owner: Caller,
  state: PublicationState,
  platform?: string,
): Promise<string> {
  const post = await createPost(deps, owner, { title: "Title", body: "Body" });
  const publicationId = deps.newId("publication");
  const isInserted = await deps.writes.publications.insert({
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
    publicParts: 0,
    committedAt: null,
    fence: 0,
    scheduledFor: null,
    ...unscheduledColumns,
  });
  assert.ok(isInserted);
  return publicationId;
}
