import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compareAssets, type RevisionAsset } from "../../web/src/history/compare-assets.ts";
import { compareLines, compareText } from "../../web/src/history/compare-text.ts";
import { describeRestore } from "../../web/src/history/describe-restore.ts";
import { describeRevision, listTrashStates } from "../../web/src/history/describe-revision.ts";
import { groupRevisions } from "../../web/src/history/group-revisions.ts";
import { getInputBounds, resolveSince } from "../../web/src/undo/since.ts";

const createAsset = (id: string, altText?: string): RevisionAsset => ({
  id,
  kind: "image",
  mimeType: "image/png",
  filename: `${id}.png`,
  ...(altText === undefined ? {} : { altText }),
});

describe("differences between two revisions", () => {
  test("lists added, removed and moved assets, and changed alt text (HIST-1)", () => {
    const before = [createAsset("a"), createAsset("b"), createAsset("c"), createAsset("d", "Old")];
    const after = [createAsset("d", "New"), createAsset("a"), createAsset("c"), createAsset("e")];
    assert.deepEqual(
      compareAssets({ assets: before }, { assets: after }).map(({ asset: { id }, kind }) => `${id} ${kind}`),
      ["d moved", "d alt text", "e added", "b removed"],
    );
    assert.deepEqual(compareAssets({ assets: before }, { assets: before }), []);
  });

  test("lists a renamed document, because platforms show its name, and no other renamed file (HIST-1)", () => {
    const image = createAsset("a");
    const document = { ...image, id: "b", kind: "document", filename: "Prices.pdf" };
    const renamed = [image, document].map((asset) => ({ ...asset, filename: `New ${asset.filename}` }));
    assert.deepEqual(compareAssets({ assets: [image, document] }, { assets: renamed }), [
      { asset: renamed[1], kind: "name", before: "Prices.pdf", after: "New Prices.pdf" },
    ]);
  });

  test("compares names of files line by line (HIST-1)", () => {
    const format = (before: string, after: string) => compareLines(before, after).map(({ kind, text }) => [kind, text]);
    assert.deepEqual(format("All files", "a file.jpg\nb.jpg"), [
      ["removed", "All files"],
      ["added", "a file.jpg"],
      ["added", "b.jpg"],
    ]);
    assert.deepEqual(format("a 1.jpg\nb.jpg", "a 2.jpg\nb.jpg"), [
      ["removed", "a 1.jpg"],
      ["added", "a 2.jpg"],
      ["same", "b.jpg"],
    ]);
  });

  test("lists a new crop (HIST-1, PUB-3)", () => {
    const assets = [createAsset("a"), createAsset("b")];
    const crop = { assetId: "b", platform: "instagram", x: 0.5, y: 0.5 };
    const moved = { assets, crops: [{ ...crop, x: 1 }] };
    const expected = [{ asset: assets[1], kind: "crop" }];
    assert.deepEqual(compareAssets({ assets, crops: [crop] }, moved), expected);
    assert.deepEqual(compareAssets({ assets }, moved), expected);
    assert.deepEqual(compareAssets(moved, moved), []);
  });

  test("compares text by word (HIST-1)", () => {
    assert.deepEqual(compareText("The cover is green", "The cover is blue"), [
      { kind: "same", text: "The cover is " },
      { kind: "removed", text: "green" },
      { kind: "added", text: "blue" },
    ]);
  });

  test("does not mark the spaces around changed words (HIST-1)", () => {
    assert.deepEqual(compareText("The sun is low.", "The bright sun."), [
      { kind: "same", text: "The " },
      { kind: "added", text: "bright" },
      { kind: "same", text: " " },
      { kind: "same", text: "sun" },
      { kind: "same", text: " " },
      { kind: "removed", text: "is low" },
      { kind: "same", text: "." },
    ]);
  });

  test("names the files that a restored revision lacks (HIST-5)", () => {
    const describe = (filenames: string[]) => describeRestore("Revision 8 restored", filenames, "UTC");
    assert.equal(describe([]), "Revision 8 restored.");
    assert.equal(describe(["a.jpg"]), "Revision 8 restored without a.jpg.");
    assert.equal(describe(["a.jpg", "b.jpg"]), "Revision 8 restored without a.jpg and b.jpg.");
    assert.equal(describe(["a.jpg", "b.jpg", "c.jpg"]), "Revision 8 restored without 3 files.");
  });

  test("says which publications are scheduled after a restore, and which wait for approval (UNDO-10)", () => {
    const create = (account: string, state: string, hasLostApproval?: true) => ({
      id: account,
      account,
      state,
      scheduledFor: null,
      hasLostApproval,
    });
    const before = [
      create("kept", "scheduled"),
      create("returned", "scheduled"),
      create("again", "proposed", true),
      create("waiting", "proposed", true),
      create("new request", "proposed"),
    ];
    const states = ["scheduled", "proposed", "scheduled", "proposed", "proposed"];
    const after = before.map((publication, i) => ({ ...publication, state: states[i] ?? "" }));
    assert.equal(
      describeRestore("Change undone", [], "UTC", before, after),
      "Change undone. Will be published with this content: kept. Scheduled again: again. Needs a new approval: returned. Still waits for approval: waiting.",
    );
  });

  test("shortens long unchanged text (HIST-1)", () => {
    const long = "unchanged words ".repeat(100);
    const parts = compareText(`${long}end`, `${long}changed end`);
    assert.ok(parts.reduce((sum, { text }) => sum + text.length, 0) < 400);
    assert.ok(parts[0]?.text.startsWith(" … "));
  });

  test("shows both texts as a whole if comparing them takes too long (HIST-1)", (t) => {
    const [before, after] = ["one two three four", "two four six"];
    assert.ok(compareText(before, after).length > 2);
    let now = 0;
    t.mock.method(Date, "now", () => (now += 500));
    assert.deepEqual(compareText(before, after), [
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ]);
  });

  test("describes what a revision changed (HIST-1)", () => {
    const assets = [createAsset("a"), createAsset("b")];
    const context = { previous: { assets: [createAsset("a")] }, isTrashedAfter: false };
    const describeFields = (changed: readonly string[]): string =>
      describeRevision({ revision: 3, changed, status: "ready", assets }, context);
    assert.equal(describeFields(["title", "body", "status"]), "changed the title and text, marked it ready");
    assert.equal(describeFields(["assets"]), "added b.png");
    assert.equal(describeFields(["trashed"]), "restored it from the trash");
    assert.equal(
      describeRevision({ revision: 3, changed: ["assets"], status: "ready", restoredRevision: 1, assets }, context),
      "restored revision 1",
    );
    assert.equal(
      describeRevision({ revision: 1, changed: [], status: "draft", assets }, { ...context, previous: undefined }),
      "created the post",
    );
  });

  test("groups files that a user added or removed within five minutes, and nothing by an AI client (HIST-1)", () => {
    const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
    const assetCounts = [1, 2, 3, 4, 5, 6, 7, 6, 5];
    const revisions = assetCounts.map((count, i) => ({
      ...{ title: "", body: "", status: "draft" as const, variants: [], tags: [], revision: i + 1, at: at(i) },
      ...{ user: { id: i === 3 ? "bo" : "ada" }, client: i === 4 ? { name: "Claude" } : null },
      changed: i === 0 ? [] : ["assets" as const],
      assets: ["a", "b", "c", "d", "e", "f", "g"].slice(0, count).map((id) => createAsset(id)),
    }));
    const group = (newestFirst: typeof revisions, expanded?: number[]) =>
      groupRevisions(newestFirst, undefined, expanded).map(({ revisions: members, previous }) => [
        members.map(({ revision }) => revision).join(),
        previous?.revision,
      ]);
    const newestFirst = revisions.toReversed();
    assert.deepEqual(group(newestFirst), [
      ["9,8", 7],
      ["7,6", 5],
      ["5", 4],
      ["4", 3],
      ["3,2", 1],
      ["1", undefined],
    ]);
    assert.deepEqual(group(newestFirst, [9]).slice(0, 3), [
      ["9", 8],
      ["8", 7],
      ["7,6", 5],
    ]);
    const isLastGroupCut = (...indexes: [first: number, end: number]) =>
      groupRevisions(newestFirst.slice(...indexes), newestFirst[indexes[1]]).at(-1)?.isCut ?? false;
    assert.equal(isLastGroupCut(0, 1), true, "9 of 9,8");
    assert.equal(isLastGroupCut(6, 7), true, "3 of 3,2");
    assert.equal(isLastGroupCut(6, 8), false, "3,2 after the creation");
    const slowRevisions = newestFirst.map((revision, i) => ({ ...revision, at: at(60 - 6 * i) }));
    assert.equal(group(slowRevisions).length, revisions.length);
  });

  test("lists for each revision whether it left the post in the trash (HIST-1)", () => {
    const titleChange = { changed: ["title"] };
    const [deletion, restoration] = [{ changed: ["trashed"] }, { changed: ["trashed"] }];
    const newestFirst = [titleChange, restoration, deletion, titleChange];
    assert.deepEqual(listTrashStates(newestFirst), [false, false, true, false]);
  });
});

describe("the time since which an undo reverts changes", () => {
  const now = Date.parse("2026-11-15T12:00:00Z");

  test("is within the last 30 days and not in the future (UNDO-7)", () => {
    const timezone = "UTC";
    assert.equal(resolveSince("hour", "", now, timezone), "2026-11-15T11:00:00.000Z");
    assert.equal(resolveSince("week", "", now, timezone), "2026-11-08T12:00:00.000Z");
    const month = Date.parse(resolveSince("month", "", now, timezone) ?? "");
    assert.ok(now - month <= 30 * 86_400_000 - 1_800_000, "the user can review the changes for half an hour");
    assert.equal(resolveSince("custom", "", now, timezone), undefined);
    assert.equal(resolveSince("custom", "2026-11-15T12:01", now, timezone), undefined);
    assert.equal(resolveSince("custom", "2026-10-01T12:00", now, timezone), undefined);
    assert.equal(resolveSince("custom", "2026-11-14T12:00", now, timezone), "2026-11-14T12:00:00.000Z");
  });

  test("is in the studio's time zone", () => {
    const timezone = "Asia/Tokyo";
    assert.equal(resolveSince("today", "", now, timezone), "2026-11-14T15:00:00.000Z");
    assert.equal(resolveSince("custom", "2026-11-14T12:00", now, timezone), "2026-11-14T03:00:00.000Z");
    assert.equal(getInputBounds(now, timezone).max, "2026-11-15T21:00");
  });
});
