import assert from "node:assert/strict";
import { test } from "node:test";
import { openDatabase } from "#db/open-database.ts";
import type { Caller } from "#domain/caller.ts";
import { recordActivity } from "#domain/changes/record-activity.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { fanOut, startFanOut, type EventReader } from "#domain/jobs/fan-out.ts";
import type { ActivityRow } from "#domain/model/activity.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { hours } from "#lib/clock.ts";
import { createDeps, forEachEngine, silentLog } from "../support/engines.ts";
import { newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";

/** A reader that remembers which events of the studio were committed to it. */
function createRecorder({ studio }: Caller): { reader: EventReader; events: ActivityRow[] } {
  const events: ActivityRow[] = [];
  let uncommittedEvents: ActivityRow[] = [];
  const reader: EventReader = {
    read: async (_, rows) => void (uncommittedEvents = rows.filter(({ studioId }) => studioId === studio.id)),
    wake: () => void events.push(...uncommittedEvents.splice(0)),
  };
  return { reader, events };
}

forEachEngine("events", (fixture) => {
  const { deps } = fixture;
  const throwError = (error: unknown): never => {
    throw error;
  };
  const record = (recordDeps: Deps, owner: Caller, subjectId: string) =>
    recordDeps.transact(owner, (tx) => recordActivity(recordDeps, tx, owner, "studio.updated", subjectId));
  /** A studio whose creation was passed on. */
  async function newOwner(): Promise<Caller> {
    const owner = await newStudio(deps);
    await fanOut(deps, []);
    return owner;
  }

  test("passes each committed activity on once, with the revision of its post at the time (EVT-2)", async () => {
    const owner = await newOwner();
    const { reader, events } = createRecorder(owner);
    const { id } = await createPost(deps, owner, { title: "A post", body: "" });
    await updatePost(deps, owner, { postId: id, title: "A new title" });
    await deletePost(deps, owner, { postId: id });
    await fanOut(deps, [reader]);
    await fanOut(deps, [reader]);
    assert.deepEqual(
      events.map(({ action, subjectId, userId, detail }) => [action, subjectId, userId, detail["revision"]]),
      [
        ["post.created", id, owner.user.id, 1],
        ["post.updated", id, owner.user.id, 2],
        ["post.deleted", id, owner.user.id, 3],
      ],
    );
  });

  test("passes nothing on that was rolled back, and an event again whose reader failed (EVT-2)", async () => {
    const owner = await newOwner();
    const { reader, events } = createRecorder(owner);
    const failure = new Error("failed");
    await assert.rejects(
      deps.transact(owner, async (tx) => {
        await recordActivity(deps, tx, owner, "studio.updated", "rolled back");
        throw failure;
      }),
      failure,
    );
    await record(deps, owner, "committed");
    const failingReader: EventReader = { read: () => Promise.reject(failure) };
    await assert.rejects(fanOut(deps, [reader, failingReader]), failure);
    assert.deepEqual(events, []);
    await fanOut(deps, [reader]);
    assert.deepEqual(
      events.map(({ subjectId }) => subjectId),
      ["committed"],
    );
  });

  test("passes on activity that is committed after newer activity (EVT-2)", async () => {
    const owner = await newOwner();
    const { reader, events } = createRecorder(owner);
    const olderId = deps.newId("activity");
    await record(deps, owner, "newer");
    await fanOut(deps, [reader]);
    await deps.transact(owner, (tx) =>
      recordActivity({ ...deps, newId: () => olderId }, tx, owner, "studio.updated", "older"),
    );
    await fanOut(deps, [reader]);
    assert.deepEqual(
      events.map(({ subjectId }) => subjectId),
      ["newer", "older"],
    );
  });

  test("passes each event on once while several processes record and pass on events (EVT-2)", async () => {
    const owner = await newOwner();
    const databases = await Promise.all(
      Array.from({ length: 4 }, () => openDatabase({ ...fixture.location, log: silentLog })),
    );
    const recorders = databases.map(() => createRecorder(owner));
    const processes = databases.map((database) => createDeps(database, fixture.clock));
    const recorded = processes.map((process, i) =>
      Promise.all(Array.from({ length: 50 }, (_, j) => record(process, owner, `${i} ${j}`))),
    );
    const loops = processes.map((process, i) =>
      startFanOut(process, { readers: [recorders[i]!.reader], onError: throwError, pollMs: 1 }),
    );
    const ids = (await Promise.all(recorded)).flat().toSorted();
    const listEvents = () => recorders.flatMap(({ events }) => events.map(({ id }) => id));
    await waitUntil(() => listEvents().length >= ids.length, { description: "all events are passed on" });
    await Promise.all(loops.map((loop) => loop.stop()));
    assert.deepEqual(listEvents().toSorted(), ids);
    await Promise.all(databases.map((database) => database.close()));
  });

  test("looks for events when it is woken (EVT-2)", async () => {
    const owner = await newOwner();
    const { reader, events } = createRecorder(owner);
    const loop = startFanOut(deps, { readers: [reader], onError: throwError, pollMs: hours(1) });
    await record(deps, owner, "new");
    loop.wake();
    await waitUntil(() => events.length === 1, { description: "the event is passed on" });
    await loop.stop();
  });
});
