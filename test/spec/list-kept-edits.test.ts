import assert from "node:assert/strict";
import { test } from "node:test";
import { listKeptEdits } from "../../web/src/publishing/list-kept-edits.ts";

const createEntry = (action: string, revision: number, outcome: string | null = null) => ({
  id: action,
  action: `publication.${action}`,
  revision,
  outcome,
});

const approved = createEntry("approved", 2);

test("finds edits that kept the approval, and what happened next (PUB-3)", () => {
  const timeline = [createEntry("proposed", 1), approved];
  const edit = { revision: 4, isReviewed: true };
  assert.deepEqual(listKeptEdits({ timeline, state: "scheduled", revision: 2 }), []);
  assert.deepEqual(listKeptEdits({ timeline, state: "scheduled", revision: 4 }), [{ ...edit, nextId: undefined }]);
  assert.deepEqual(
    listKeptEdits({ timeline: [...timeline, createEntry("started", 4)], state: "publishing", revision: 4 }),
    [{ ...edit, nextId: "started" }],
  );
  assert.deepEqual(listKeptEdits({ timeline: [createEntry("scheduled", 1)], state: "scheduled", revision: 2 }), [
    { revision: 2, isReviewed: false, nextId: undefined },
  ]);
});

test("ignores edits that ended the approval, and edits before it (PUB-3)", () => {
  for (const entry of [createEntry("returned", 3), createEntry("rescheduled", 3, "proposed")])
    assert.deepEqual(listKeptEdits({ timeline: [approved, entry], state: "proposed", revision: 5 }), []);
  const renewed = [approved, createEntry("returned", 3), createEntry("approved", 5)];
  assert.deepEqual(listKeptEdits({ timeline: renewed, state: "scheduled", revision: 5 }), []);
});
