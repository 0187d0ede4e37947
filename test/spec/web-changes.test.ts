import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import { setImmediate as nextIteration } from "node:timers/promises";
import { QueryObserver, type QueryClient } from "@tanstack/react-query";

type Send = (param: unknown, body?: unknown) => Promise<unknown>;

Object.defineProperty(globalThis, "location", { value: new URL("http://localhost/") });
/** Imports modules that need a browser's types. */
const load = (file: string): Promise<unknown> => import(new URL(`../../web/src/api/${file}`, import.meta.url).href);
const mutations = (await load("mutations.ts")) as Record<string, Send>;
const { inBatch } = (await load("change.ts")) as { inBatch: <T>(run: () => Promise<T>) => Promise<T> };
const { queryClient } = (await load("query-client.ts")) as { queryClient: QueryClient };

const param = {
  id: "pst_1",
  studioId: "std_1",
  postId: "pst_1",
  assetId: "ast_1",
  commentId: "cmt_1",
  connectionId: "plc_1",
  grantId: "con_1",
  invitationId: "inv_1",
  linkId: "upl_1",
  publicationId: "pub_1",
  undoId: "act_1",
  userId: "usr_1",
  webhookId: "whk_1",
  deliveryId: "whd_1",
};
const lists = "activity assets calendar clients invitations members platforms posts post-count post-summaries";
const otherLists = "notifications publication-counts publications trash webhooks";
const objects = [
  "post pst_1",
  "post pst_2",
  "comments pst_1",
  "comments pst_2",
  "publication pub_1",
  "upload-links pst_1",
  "review-links pst_1",
];
const queryKeys: Record<string, readonly unknown[]> = {
  me: ["me"],
  studio: ["studio", "std_1"],
  ...Object.fromEntries(`${lists} ${otherLists}`.split(" ").map((name) => [name, ["studio", "std_1", name, {}]])),
  ...Object.fromEntries(objects.map((name) => [name, ["studio", "std_1", ...name.split(" ")]])),
  "other studio": ["studio", "std_2", "activity", {}],
};

let requests: string[];
let isFailing: (url: string) => boolean;

function setData(): void {
  for (const queryKey of Object.values(queryKeys)) queryClient.setQueryData(queryKey, "data");
}

beforeEach(() => {
  requests = [];
  isFailing = () => false;
  mock.method(globalThis, "fetch", async (url: string, { method }: { method: string }) => {
    requests.push(`${method} ${new URL(url).pathname}`);
    if (isFailing(url)) return Response.json({ code: "internal", detail: "It failed." }, { status: 500 });
    return method === "DELETE" ? new Response(null, { status: 204 }) : Response.json({});
  });
  setData();
});
afterEach(() => {
  mock.reset();
  queryClient.clear();
});

const listInvalidated = (): string[] =>
  Object.keys(queryKeys).filter((name) => queryClient.getQueryState(queryKeys[name]!)?.isInvalidated);

/** Shows the posts, whose requests wait for `gate`. Returns a function that counts how often they were fetched since. */
async function showPosts(gate = { opened: Promise.resolve() }): Promise<() => number> {
  let count = -1;
  const observer = new QueryObserver(queryClient, {
    queryKey: queryKeys["posts"]!,
    queryFn: async () => {
      await gate.opened;
      return ++count;
    },
  });
  observer.subscribe(() => {});
  await observer.refetch();
  return () => count;
}

/** Lets requests that are under way finish. */
async function settle(): Promise<void> {
  for (let i = 0; i < 50; i++) await nextIteration();
}

describe("changes by the user", () => {
  /** Those of the user's own studios. */
  const ownChanges = ["createStudio", "setActiveStudio", "deleteStudio", "leaveStudio"];
  const ownInbox = ["readNotifications", "readAllNotifications", "setMailFrequencies", "sendTestMail"];
  /** Those that change nothing, and those whose response the editor applies. */
  const previews = ["previewRestore", "previewUndo", "previewUndoUndo"];
  const newLinks = ["connectPlatform", "createPostUploadLink", "createLibraryUploadLink"];
  const unshownChanges = [...previews, ...newLinks, "saveEdit", "setCrop"];

  test("each name what they change, and all that shows it is refetched, also after a failure (EVT-1)", async () => {
    for (const [name, send] of Object.entries(mutations)) {
      const run = () => send(name === "setActiveStudio" || name === "deleteStudio" ? "std_1" : param);
      setData();
      requests = [];
      isFailing = () => false;
      await run();
      assert.equal(requests.length, 1, name);
      assert.match(requests[0]!, /^(POST|PUT|PATCH|DELETE) \/api\/(studios|me\/(active-studio|notifications))/);
      assert.doesNotMatch(requests[0]!, /:|undefined|object/);
      const affected = listInvalidated();
      if (ownChanges.includes(name)) assert.deepEqual(affected, ["me"], name);
      else if (ownInbox.includes(name)) assert.deepEqual(affected, ["notifications"], name);
      else if (unshownChanges.includes(name)) assert.deepEqual(affected, [], name);
      else {
        assert.ok(affected.includes("activity"), name);
        const others = affected.filter((other) => other !== "activity" && other !== "clients");
        assert.ok(others.length > 0 && !others.includes("other studio"), `${name} reaches ${affected.join()}`);
      }
      setData();
      isFailing = () => true;
      await assert.rejects(run(), /It failed/);
      assert.deepEqual(listInvalidated(), affected, name);
    }
  });

  test("only affect what shows their objects (EVT-1)", async () => {
    const expected: Record<string, readonly string[]> = {
      addComment: ["activity", "clients", "post-summaries", "comments pst_1"],
      changeRole: ["me", "studio", "activity", "clients", "invitations", "members", "review-links pst_1"],
      emptyTrash: ["activity", "assets", "clients", "trash"],
      revokeClient: ["activity", "clients", "upload-links pst_1", "review-links pst_1"],
    };
    for (const [name, names] of Object.entries(expected)) {
      await mutations[name]!(param);
      assert.deepEqual(listInvalidated(), names);
      setData();
    }
    await mutations["updateStudio"]!(param);
    assert.deepEqual(
      listInvalidated(),
      Object.keys(queryKeys).filter((name) => name !== "other studio"),
    );
  });

  test("resolve when what the page shows is up to date; a failure does not wait for that (EVT-1)", async () => {
    const gate = { opened: Promise.resolve() };
    const count = await showPosts(gate);
    for (const fails of [false, true]) {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate.opened = promise;
      isFailing = () => fails;
      let isSettled = false;
      const change = mutations["updatePost"]!(param).finally(() => (isSettled = true));
      change.catch(() => {});
      await settle();
      assert.deepEqual([isSettled, count()], [fails, fails ? 1 : 0]);
      resolve();
      await (fails ? assert.rejects(change, /It failed/) : change);
      await settle();
      assert.equal(count(), fails ? 2 : 1);
    }
  });

  test("in a batch are refetched once, at its end, also after a failure (EVT-1)", async () => {
    const count = await showPosts();
    const ids = ["pst_1", "pst_2", "pst_3"];
    const deleteAll = async (): Promise<void> => {
      for (const postId of ids) {
        await mutations["deletePost"]!({ studioId: "std_1", postId });
        assert.equal(count(), fetchedCount);
      }
    };
    let fetchedCount = 0;
    await inBatch(() => inBatch(deleteAll));
    assert.equal(count(), 1);
    assert.deepEqual(
      listInvalidated().filter((name) => name.startsWith("post ")),
      ["post pst_1", "post pst_2"],
    );

    fetchedCount = 1;
    isFailing = (url) => url.endsWith("pst_2");
    await assert.rejects(inBatch(deleteAll), /It failed/);
    await settle();
    assert.equal(count(), 2);
    assert.equal(requests.length, 5);

    await mutations["updatePost"]!(param);
    assert.equal(count(), 3, "after a batch, changes are refetched at once");
  });
});
