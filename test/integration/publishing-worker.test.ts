import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { createPost } from "#domain/posts/create-post.ts";
import { approvePublication } from "#domain/publishing/approve-publications.ts";
import { reschedulePublication, resolvePublication } from "#domain/publishing/change-publication.ts";
import type { Publication, PublicationView } from "#domain/model/publication.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { unscheduledColumns } from "#domain/model/publish-time.ts";
import { type PublishingWorker, startPublishingWorker, type WorkerOptions } from "#domain/jobs/publishing/worker.ts";
import { undoPublications } from "#domain/undo/undo-publications.ts";
import { statement, type Database } from "#db/database.ts";
import { listenForNotifications, type NotificationListener } from "#db/notifications.ts";
import { createStores, openDatabase } from "#db/open-database.ts";
import { hours, minutes } from "#lib/clock.ts";
import { AppError } from "#lib/errors.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { fromNow } from "../support/clock.ts";
import { forOneEngine, getListenUrl, silentLog } from "../support/engines.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { addConnections, oneSlot, startPublishing, type PublishingFixture } from "../support/publishing-fixture.ts";
import { createSandboxPlatforms } from "../support/sandbox-platforms.ts";
import { findFreeBaseUrl } from "../support/service.ts";
import { waitUntil } from "../support/wait-until.ts";

/** Far longer than the tests: a publication that starts was announced, not found by polling. */
const neverPolls = { pollMs: hours(1) };
const inOneHour = () => fromNow(hours(1));

interface InterceptedRequest {
  send: () => Promise<Response>;
  signal: AbortSignal | undefined;
}

forOneEngine("the publishing worker", (fixture) => {
  let publishing: PublishingFixture;
  let connectionId = "";
  const workers: PublishingWorker[] = [];
  /** Wakes the first worker, like the process that handles the request. */
  const wakeLocal = () => workers[0]?.wake();
  /** Handles the next request to the platform whose URL ends with `path`. */
  let interception: { path: string; handle: (request: InterceptedRequest) => Promise<Response> } | undefined;

  const interceptFetch =
    (fetch: PublicFetch): PublicFetch =>
    async (url, request) => {
      if (!interception || !url.endsWith(interception.path)) return fetch(url, request);
      const { handle } = interception;
      interception = undefined;
      return handle({ send: () => fetch(url, request), signal: request?.signal });
    };

  before(async () => {
    const base = await findFreeBaseUrl();
    const platforms = createSandboxPlatforms({ base, wrapFetch: interceptFetch });
    publishing = await startPublishing(fixture, ["harbour"], {
      base,
      platforms: platforms.filter(({ platform }) => platform.id !== "sandbox"),
      runsWorker: false,
    });
    [connectionId = ""] = await addConnections(publishing, "sandbox-container", 1);
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  });
  after(() => publishing.close());

  const getDeps = () => ({ ...publishing.service.deps, wakeWorker: wakeLocal });
  function startWorker(options: Partial<WorkerOptions> = {}, database: Database = fixture.database): PublishingWorker {
    const deps = { ...publishing.service.deps, ...createStores(database) };
    const onError = (error: unknown) => {
      // A busy machine can be late with a connection. The worker tries again.
      if (!(error instanceof AppError && error.code === "storage_unavailable")) assert.fail(String(error));
    };
    const worker = startPublishingWorker(deps, { concurrency: 8, onError, ...options });
    workers.push(worker);
    return worker;
  }
  async function publish(body: string, input: { at?: string; propose?: boolean } = {}): Promise<PublicationView> {
    const { id: postId } = await createPost(publishing.service.deps, publishing.owner, { title: "Title", body });
    const request = { postId, connectionIds: [connectionId], ...input };
    const [publication] = (await publishPost(getDeps(), publishing.owner, request)).publications;
    assert.ok(publication);
    return publication;
  }
  const waitUntilPublished = async ({ id }: PublicationView) => void (await publishing.waitForState(id, "published"));
  async function find(publicationId: string): Promise<Publication> {
    const publication = await fixture.deps.publications.find(publishing.owner.studio.id, publicationId);
    assert.ok(publication);
    return publication;
  }
  /** Keeps the platform from responding to the next upload. Resolves when the upload was sent. */
  function hangWhilePreparing(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handle = ({ signal }: InterceptedRequest): Promise<never> =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("canceled")));
        resolve();
      });
    interception = { path: "/api/containers", handle };
    return promise;
  }
  /** Resolves when the worker has nothing left to start, so that it waits until it is woken. */
  async function startIdleWorker(database?: Database): Promise<PublishingWorker> {
    const worker = startWorker(neverPolls, database);
    await waitUntilPublished(await publish("Published by the new worker"));
    return worker;
  }

  test("starts a due publication at once after publish, approve, reschedule and retry (PUB-18)", async () => {
    const { owner } = publishing;
    await startIdleWorker();
    await waitUntilPublished(await publish("Now"));

    const proposed = await publish("Approved", { propose: true });
    await approvePublication(getDeps(), owner, { publicationId: proposed.id, revision: 1 });
    await waitUntilPublished(proposed);

    const later = await publish("Rescheduled", { at: inOneHour() });
    await reschedulePublication(getDeps(), owner, { publicationId: later.id, at: fromNow(0) });
    await waitUntilPublished(later);

    const lost = await publish("Again", { at: inOneHour() });
    const change = { ...unscheduledColumns, state: "unconfirmed" as const };
    await fixture.deps.writes.publications.update(lost.id, change, { states: ["scheduled"] });
    // The time has passed by the time a person decides.
    await fixture.deps.writes.publications.update(
      lost.id,
      { scheduledFor: Date.parse(fromNow(-1)) },
      { states: ["unconfirmed"] },
    );
    await resolvePublication(getDeps(), owner, { publicationId: lost.id, outcome: "retry" });
    await waitUntilPublished(lost);
  });

  test("a publication that another process scheduled starts at its time, without a wake-up (PUB-18)", async () => {
    startWorker();
    const { id: postId } = await createPost(publishing.service.deps, publishing.owner, {
      title: "",
      body: "Scheduled",
    });
    const at = fromNow(1500);
    const depsWithoutWake = { ...getDeps(), wakeWorker: () => {} };
    const request = { postId, connectionIds: [connectionId], at };
    const [publication] = (await publishPost(depsWithoutWake, publishing.owner, request)).publications;
    assert.ok(publication);
    await waitUntilPublished(publication);
    const { publishedAt } = await find(publication.id);
    assert.ok(publishedAt !== null && publishedAt >= Date.parse(at), "not early");
  });

  test("a shutdown releases a publication that is being prepared, and starts nothing new (PUB-14)", async () => {
    const leaseMs = minutes(10);
    const uploadSent = hangWhilePreparing();
    const worker = startWorker({ leaseMs });
    const prepared = await publish("Released by the drain");
    await uploadSent;
    assert.equal((await find(prepared.id)).state, "preparing");
    await worker.stop();
    const released = await find(prepared.id);
    assert.deepEqual([released.state, released.leaseExpiresAt], ["scheduled", null]);

    const [otherConnectionId = ""] = await addConnections(publishing, "sandbox-container", 1);
    const { id: postId } = await createPost(getDeps(), publishing.owner, { title: "", body: "After the drain" });
    const request = { postId, connectionIds: [otherConnectionId] };
    const [waiting] = (await publishPost(getDeps(), publishing.owner, request)).publications;
    assert.ok(waiting);
    worker.wake();
    await worker.stop();
    assert.equal((await find(waiting.id)).state, "scheduled");

    // If the first worker had kept its lease, this would take ten minutes.
    startWorker({ leaseMs });
    await waitUntilPublished(prepared);
    await waitUntilPublished(waiting);
    const posts = await publishing.listSandboxPosts();
    assert.equal(posts.filter(({ text }) => text === "Released by the drain").length, 1);
  });

  test("a shutdown waits for the request that makes a post public (PUB-14)", async () => {
    const committing = Promise.withResolvers<void>();
    const response = Promise.withResolvers<void>();
    interception = {
      path: "/api/publish",
      handle: async ({ send }) => {
        committing.resolve();
        await response.promise;
        return send();
      },
    };
    const worker = startWorker();
    const publication = await publish("Committed during the drain");
    await committing.promise;
    let isStopped = false;
    const stopped = worker.stop().then(() => (isStopped = true));
    const { state } = await find(publication.id);
    const wasStopped = isStopped;
    response.resolve();
    await stopped;
    assert.deepEqual([state, wasStopped], ["committing", false]);
    assert.equal((await find(publication.id)).state, "published");
  });

  test("undo reports a publication that a worker started in the meantime as publishing (UNDO-1)", async () => {
    const { owner, service } = publishing;
    const { deps } = service;
    const client = await actThroughClient(deps, owner);
    const since = deps.clock();
    const { id: postId } = await createPost(deps, owner, { title: "", body: "Undone" });
    const [otherConnectionId = ""] = await addConnections(publishing, "sandbox-container", 1);
    const request = async (connection: string, at?: string) => {
      const input = { postId, connectionIds: [connection], ...(at === undefined ? {} : { at }) };
      const [publication] = (await publishPost(getDeps(), client, input)).publications;
      return publication?.id ?? "";
    };
    const dueId = await request(connectionId);
    const laterId = await request(otherConnectionId, inOneHour());
    let claimed: Publication | undefined;
    const racingDeps = {
      ...deps,
      publications: {
        ...deps.publications,
        async listRequested(...args: Parameters<typeof deps.publications.listRequested>) {
          const listed = await deps.publications.listRequested(...args);
          const now = await deps.publications.getTime();
          claimed ??= await deps.publicationRuns.claimDue({ now, leaseExpiresAt: now + minutes(1), slots: oneSlot });
          return listed;
        },
      },
    };
    const selection = { userId: client.user.id, clientId: client.client.id, since };
    const report = await undoPublications(racingDeps, client.studio.id, selection, client);
    assert.equal(claimed?.id, dueId);
    assert.deepEqual(report, [
      { id: dueId, state: "publishing" },
      { id: laterId, state: "canceled" },
    ]);
    assert.deepEqual([(await find(dueId)).state, (await find(laterId)).state], ["preparing", "canceled"]);
    const change = { ...unscheduledColumns, state: "failed" as const };
    await deps.writes.publications.update(dueId, change, { states: ["preparing"] });
  });

  if (fixture.engine !== "postgres") return;

  /** A worker with its own connections, as in another process. It learns of requests only through notifications. */
  async function startOtherProcess(): Promise<{ close(): Promise<void> }> {
    const database = await openDatabase({ ...fixture.location, log: silentLog });
    const worker = startWorker(neverPolls, database);
    const listening = Promise.withResolvers<void>();
    const listener: NotificationListener = listenForNotifications({
      url: getListenUrl(fixture.location) ?? "",
      handlers: {
        publications_due() {
          listening.resolve();
          worker.wake();
        },
      },
      log: silentLog,
    });
    await listening.promise;
    return {
      async close() {
        await worker.stop();
        await listener.close();
        await database.close();
      },
    };
  }

  const findListener = async (): Promise<number | undefined> => {
    const rows = await fixture.database.run<{ pid: number }>(
      statement(`SELECT pid FROM pg_stat_activity
               WHERE application_name = 'atelier listener' AND datname = current_database() AND query LIKE 'LISTEN%'
                 AND state = 'idle'`),
      [],
    );
    return rows[0]?.pid;
  };

  test("a publication that another process requests starts at once, even after the connection for notifications was lost (PUB-18)", async () => {
    const other = await startOtherProcess();
    // The request wakes no worker in its own process.
    const local = workers.splice(0);
    await waitUntilPublished(await publish("Requested elsewhere"));

    const pid = await findListener();
    assert.ok(pid);
    const terminate = statement("SELECT pg_terminate_backend($1)");
    await fixture.database.run(terminate, [pid]);
    // The notification may be lost: the worker searches again when the listener has reconnected.
    await waitUntilPublished(await publish("While the connection is lost"));
    await waitUntil(async () => ![undefined, pid].includes(await findListener()), { description: "it listens again" });
    await waitUntilPublished(await publish("After the connection was lost"));
    workers.push(...local);
    await other.close();
  });

  test("another process continues at once a publication that a shutdown released (PUB-14, PUB-18)", async () => {
    const uploadSent = hangWhilePreparing();
    const worker = startWorker(neverPolls);
    const publication = await publish("Taken over");
    await uploadSent;
    const other = await startOtherProcess();
    await worker.stop();
    await waitUntilPublished(publication);
    await other.close();
  });
});
