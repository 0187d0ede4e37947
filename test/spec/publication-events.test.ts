import assert from "node:assert/strict";
import { test } from "node:test";
import { listEvents } from "../../web/src/publishing/list-events.ts";

type Publication = Parameters<typeof listEvents>[0];
type Entry = Publication["timeline"][number];

const createEntry = (action: Entry["action"], index: number): Entry => ({
  id: String(index),
  action,
  at: "2026-05-02T09:00:00.000Z",
  user: { id: "1", name: "Ada Berg" },
  client: null,
  scheduledFor: null,
  revision: 1,
  reason: null,
  outcome: null,
});

const listLastTexts = (...actions: Entry["action"][]): string[] =>
  listEvents({ state: "proposed", scheduledFor: null, timeline: actions.map(createEntry) } as unknown as Publication)
    .slice(-2)
    .map(({ text, isNext = false }) => `${text}${isNext ? " (next)" : ""}`);

test("a change needs a new approval only if there was one (PUB-3)", () => {
  assert.deepEqual(listLastTexts("publication.proposed", "publication.approved", "publication.returned"), [
    "Changed by Ada Berg, so it needs a new approval",
    "Waiting for approval (next)",
  ]);
  assert.deepEqual(listLastTexts("publication.scheduled", "publication.returned"), [
    "Changed by Ada Berg, so it now needs approval",
    "Waiting for approval (next)",
  ]);
});
