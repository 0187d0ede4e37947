import assert from "node:assert/strict";
import { test } from "node:test";
import type { PublicationDetail } from "../../web/src/api/publication-queries.ts";
import { listEvents } from "../../web/src/publishing/list-events.ts";

type Entry = PublicationDetail["timeline"][number];

const at = "2026-05-01T08:00:00Z";
const time = "2026-05-03T08:00:00Z";
const ana = { id: "usr_ana", name: "Ana" };

const entry = (action: Entry["action"], change: Partial<Entry> = {}): Entry => ({
  id: action,
  action,
  at,
  user: ana,
  client: null,
  revision: 1,
  scheduledFor: null,
  outcome: null,
  reason: null,
  ...change,
});

const describe = (timeline: readonly Entry[], state: PublicationDetail["state"] = "published") =>
  listEvents({ timeline: [...timeline], state, scheduledFor: null, problem: null } as unknown as PublicationDetail).map(
    ({ text, requestedTime }) => [text, requestedTime],
  );

test("the timeline says once who requested a publication and for when, and whether that needed an approval (PUB-17)", () => {
  assert.deepEqual(
    describe([
      entry("publication.proposed"),
      entry("publication.proposed", { scheduledFor: time }),
      entry("publication.scheduled"),
      entry("publication.scheduled", { scheduledFor: time }),
      entry("publication.rescheduled", { scheduledFor: time, outcome: "proposed" }),
    ]),
    [
      ["Requested by Ana", undefined],
      ["Requested by Ana", time],
      ["Requested by Ana, no approval needed", undefined],
      ["Scheduled by Ana, no approval needed", time],
      ["Rescheduled by Ana, so it needs a new approval", time],
    ],
  );
});
