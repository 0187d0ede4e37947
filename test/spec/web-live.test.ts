import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, mock, test } from "node:test";
import { setImmediate as nextIteration } from "node:timers/promises";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { seconds } from "#lib/clock.ts";
import { activityActions } from "#domain/model/activity.ts";
import { isAffected } from "../../web/src/api/changed-queries.ts";
import { createRefetcher } from "../../web/src/live/refetcher.ts";
import { TestBrowser } from "../support/live-tabs.ts";

const change = (id: string, type = "post") => ({ objects: [{ type, id }] });

/** Lets time pass in steps of a second, so that timers that are set meanwhile fire too. */
async function pass(totalSeconds: number): Promise<void> {
  for (let i = 0; i < totalSeconds; i++) {
    mock.timers.tick(seconds(1));
    await nextIteration();
  }
}

beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] }));
afterEach(() => mock.reset());

describe("the stream that the tabs of a browser share", () => {
  let browser: TestBrowser;
  beforeEach(() => (browser = new TestBrowser()));

  test("one tab opens it, and all tabs learn what changed (EVT-1)", async () => {
    const tabs = [browser.openTab(), browser.openTab(), browser.openTab({ isVisible: false })];
    assert.equal(browser.sources.length, 1);
    browser.source.send("ready");
    browser.source.send("changes", change("pst_1"));
    for (const { fetches } of tabs) assert.deepEqual(fetches, ["all", "pst_1"]);
    await pass(1);
    assert.equal(browser.sources.length, 1);
  });

  test("a tab that is opened later reads once what it may have missed (EVT-1)", async () => {
    browser.openTab();
    browser.source.send("ready");
    const later = browser.openTab();
    assert.deepEqual(later.fetches, ["all"]);
    browser.source.send("changes", change("pst_1"));
    assert.deepEqual(later.fetches, ["all", "pst_1"]);
  });

  test("an idle page requests nothing while heartbeats arrive (EVT-1)", async () => {
    const tabs = [browser.openTab(), browser.openTab()];
    browser.source.send("ready");
    for (let i = 0; i < 40; i++) {
      await pass(15);
      browser.source.send("heartbeat");
    }
    for (const { fetches } of tabs) assert.deepEqual(fetches, ["all"]);
    assert.equal(browser.sources.length, 1);
  });

  test("when its tab closes, another one opens a stream, and all read everything again (EVT-1)", async () => {
    const [leader, next, last] = [browser.openTab(), browser.openTab(), browser.openTab()];
    browser.source.send("ready");
    leader.stream.close();
    await nextIteration();
    assert.deepEqual([browser.sources.length, browser.openSources.length], [2, 1]);
    browser.source.send("ready");
    browser.source.send("changes", change("pst_1"));
    for (const { fetches } of [next, last]) assert.deepEqual(fetches, ["all", "all", "pst_1"]);
    assert.deepEqual(leader.fetches, ["all"]);
    next.stream.close();
    last.stream.close();
    await nextIteration();
    assert.equal(browser.openSources.length, 0);
  });

  test("without a stream, visible tabs read every 15 seconds, and at once when it is back (EVT-1)", async () => {
    const [visible, hidden] = [browser.openTab(), browser.openTab({ isVisible: false })];
    browser.source.send("ready");
    await pass(60); // nothing came since
    assert.equal(hidden.fetches.length, 1);
    browser.source.send("ready");
    for (const { fetches } of [visible, hidden]) fetches.length = 0;
    browser.source.send("error");
    assert.equal(browser.openSources.length, 0);
    await pass(61);
    assert.ok(visible.fetches.length >= 4 && visible.fetches.length <= 5, String(visible.fetches.length));
    assert.deepEqual(hidden.fetches, []);
    for (const { fetches } of [visible, hidden]) fetches.length = 0;
    browser.source.send("ready");
    for (const { fetches } of [visible, hidden]) assert.deepEqual(fetches, ["all"]);
  });

  test("connects again, less and less often (EVT-1)", async () => {
    mock.method(Math, "random", () => 1);
    browser.openTab();
    for (let i = 0; i < 600; i++) {
      browser.openSources[0]?.send("error");
      await pass(1);
    }
    // After 1, 2, 4, 8, 16, 32 seconds, then every minute.
    assert.equal(browser.sources.length, 15);
    while (browser.openSources.length === 0) await pass(1);
    browser.source.send("ready");
    browser.source.send("error");
    await pass(1);
    assert.equal(browser.openSources.length, 1, "the first attempt after a success comes soon");
  });

  test("connects again after 40 seconds of silence, and sooner when the user returns or the network does (EVT-1)", async () => {
    const [leader, other] = [browser.openTab(), browser.openTab()];
    browser.source.send("ready");
    await pass(15);
    for (const { stream } of [leader, other]) stream.handleReturn();
    assert.equal(browser.sources.length, 1);
    await pass(6);
    for (const { stream } of [leader, other]) stream.handleReturn();
    assert.equal(browser.sources.length, 2);
    browser.source.send("ready");
    for (const { stream } of [leader, other]) stream.handleOnline();
    assert.deepEqual([browser.sources.length, browser.openSources.length], [3, 1]);
    browser.source.send("ready");
    await pass(39);
    assert.equal(browser.sources.length, 3);
    await pass(7);
    assert.deepEqual([browser.sources.length, browser.openSources.length], [4, 1]);
    leader.stream.close();
    leader.stream.handleOnline();
    leader.stream.handleReturn();
    await nextIteration();
    assert.equal(browser.openSources.length, 1, "a closed tab opens nothing");
  });

  test("a computer that slept notices it, although its timers did not run (EVT-1)", async () => {
    browser.openTab();
    browser.source.send("ready");
    mock.timers.setTime(seconds(3600));
    await pass(7);
    assert.equal(browser.sources.length, 2);
  });

  test("tabs stop when the user has lost access, after they have read what is left (EVT-1)", async () => {
    const tabs = [browser.openTab(), browser.openTab()];
    browser.source.send("ready");
    browser.hasAccess = false;
    browser.source.send("error");
    await nextIteration();
    await pass(300);
    assert.equal(browser.sources.length, 1);
    for (const { fetches } of tabs) assert.deepEqual(fetches, ["all", "all"]);
  });

  test("connects although the request for access gets no response (EVT-1)", async () => {
    browser.openTab();
    browser.hasAccess = new Promise<boolean>(() => {});
    browser.source.send("error");
    await pass(12);
    assert.equal(browser.openSources.length, 1);
  });

  test("without locks, a tab opens no stream and reads every 15 seconds (EVT-1)", async () => {
    const { fetches } = browser.openTab({ hasLocks: false });
    await pass(60);
    assert.deepEqual([browser.sources.length, fetches.length], [0, 4]);
  });
});

describe("queries of a page after a change", () => {
  let client: QueryClient;
  let isVisible: boolean;
  let refetch: ReturnType<typeof createRefetcher>;
  const counts: Record<string, number> = {};
  beforeEach(() => {
    client = new QueryClient();
    isVisible = true;
    refetch = createRefetcher(client, "std_1", () => isVisible);
    for (const name of Object.keys(counts)) delete counts[name];
  });

  /** Shows a query, whose key ends with these parts, and counts how often it is fetched. */
  async function show(key: readonly unknown[], options: { staleTime?: number; data?: () => unknown } = {}) {
    const { data = () => "data", ...rest } = options;
    const name = key.join(" ");
    const observer = new QueryObserver(client, {
      queryKey: ["studio", "std_1", ...key],
      queryFn: () => {
        counts[name] = (counts[name] ?? 0) + 1;
        return data();
      },
      ...rest,
    });
    const hide = observer.subscribe(() => {});
    await nextIteration();
    return { hide, observer };
  }
  const count = (...key: string[]): number => counts[key.join(" ")] ?? 0;

  test("only those that show the object are fetched (EVT-1)", async () => {
    for (const key of [["post", "pst_1"], ["post", "pst_2"], ["comments", "pst_1"], ["members"], ["activity", {}]])
      await show(key);
    const { hide } = await show(["post-summaries", "all"]);
    hide();
    refetch([{ type: "post", id: "pst_1" }]);
    await nextIteration();
    const names = ["post pst_1", "post pst_2", "comments pst_1", "members", "activity [object Object]"];
    assert.deepEqual(
      names.map((name) => counts[name]),
      [2, 1, 2, 1, 2],
    );
    assert.equal(count("post-summaries", "all"), 1, "no component shows it");
    assert.equal(client.getQueryState(["studio", "std_1", "post-summaries", "all"])?.isInvalidated, true);
    refetch([{ type: "comment", id: "pst_2" }]);
    await pass(2);
    assert.equal(count("comments", "pst_1"), 2);
    refetch(undefined);
    await pass(1);
    assert.deepEqual([count("members"), count("post", "pst_2")], [2, 2]);
  });

  test("a burst is joined: one request at once, then one per second and page (EVT-1)", async () => {
    await show(["post", "pst_1"]);
    await show(["posts"], { data: () => ({ pages: [[], [], []], pageParams: [] }) });
    const results: number[][] = [];
    for (let i = 0; i < 40; i++) {
      refetch([{ type: "post", id: "pst_1" }]);
      mock.timers.tick(100);
      await nextIteration();
      if (i % 10 === 0) results.push([count("post", "pst_1"), count("posts")]);
    }
    assert.deepEqual(results, [
      [2, 2],
      [3, 2],
      [4, 2],
      [5, 3],
    ]);
    await pass(5);
    assert.deepEqual([count("post", "pst_1"), count("posts")], [6, 4], "the last change is not lost");
    await pass(5);
    assert.deepEqual([count("post", "pst_1"), count("posts")], [6, 4]);
  });

  test("a change during a request makes another one (EVT-1)", async () => {
    const answers: ((data: string) => void)[] = [];
    const { observer } = await show(["post", "pst_1"], { data: () => new Promise((answer) => answers.push(answer)) });
    refetch([{ type: "post", id: "pst_1" }]);
    await pass(3);
    assert.equal(answers.length, 1, "the request is not repeated while it runs");
    answers[0]?.("old");
    await nextIteration();
    await pass(1);
    assert.equal(answers.length, 2);
    answers[1]?.("new");
    await pass(1);
    assert.equal(observer.getCurrentResult().data, "new");
    await pass(5);
    assert.equal(answers.length, 2);
  });

  test("a request that failed, and so did its retries, is sent again (EVT-1)", async () => {
    let hasFailed = true;
    await show(["post", "pst_1"], { data: () => (hasFailed ? Promise.reject(new Error("unreachable")) : "data") });
    refetch([{ type: "post", id: "pst_1" }]);
    await pass(20);
    hasFailed = false;
    await pass(30);
    assert.equal(client.getQueryData(["studio", "std_1", "post", "pst_1"]), "data");
  });

  test("a hidden tab, and lists that may be a minute old, wait until they are shown (EVT-1)", async () => {
    await show(["posts"], { staleTime: 60_000 });
    isVisible = false;
    await show(["post", "pst_1"]);
    refetch([{ type: "post", id: "pst_1" }]);
    isVisible = true;
    refetch([{ type: "post", id: "pst_2" }]);
    await pass(2);
    assert.deepEqual([count("post", "pst_1"), count("posts")], [1, 1]);
    for (const key of [["post", "pst_1"], ["posts"]])
      assert.equal(client.getQueryState(["studio", "std_1", ...key])?.isInvalidated, true);
  });

  test("every type of activity reaches a query, and a new type reaches all (EVT-1)", () => {
    const names = ["activity", "post", "posts", "comments", "publications", "platforms", "clients", "members"];
    const others = ["invitations", "upload-links", "trash", "assets"];
    for (const action of activityActions) {
      const [type = ""] = action.split(".");
      const affected = [...names, ...others].filter((name) =>
        isAffected(["studio", "std_1", name, "obj_1"], "std_1", [{ type, id: "obj_1" }]),
      );
      assert.ok(affected.length >= 2, `${type} only reaches ${affected.join()}`);
      assert.ok(!isAffected(["studio", "std_2", "activity"], "std_1", [{ type, id: "obj_1" }]));
    }
    assert.ok(isAffected(["studio", "std_1", "later"], "std_1", [{ type: "later", id: null }]));
    assert.ok(isAffected(["me"], "std_1", [{ type: "member", id: "usr_1" }]));
    assert.ok(!isAffected(["me"], "std_1", [{ type: "post", id: "pst_1" }]));
  });
});
