import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { createLiveStream, type LiveSource, type LiveStream } from "../../web/src/live/live-stream.ts";
import { cancelRefetches, createRefetcher } from "../../web/src/live/refetcher.ts";
import { findFreePort } from "./free-ports.ts";
import { readEvents } from "./page-stream.ts";
import type { StudioClient } from "./studio-client.ts";
import { startTcpProxy } from "./tcp-proxy.ts";
import { waitUntil } from "./wait-until.ts";

type Send = (path: string, signal?: AbortSignal) => Promise<Response>;

/** The stream and the queries of an open page, without a browser. */
export interface LivePage {
  stream: LiveStream;
  /** When each stream became ready. */
  readyTimes: number[];
  isOpen: boolean;
  /** What the page shows: the last response of each query. */
  list(): (string | undefined)[];
  close(): void;
}

/** Opens a page that shows these queries; each has a path in the studio and the end of its key. */
export function openLivePage(
  studioId: string,
  queries: readonly (readonly [path: string, ...key: unknown[]])[],
  send: Send,
): LivePage {
  const root = `/api/studios/${studioId}`;
  // Like the web app; its module needs a page.
  const client = new QueryClient({ defaultOptions: { queries: { retry: 2 } } });
  const observers = queries.map(([path, ...key]) => {
    const queryFn = async () => {
      const response = await send(`${root}/${path}`);
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return text;
    };
    return new QueryObserver(client, { queryKey: ["studio", studioId, ...key], queryFn });
  });
  for (const observer of observers) observer.subscribe(() => {});

  function openSource(path: string): LiveSource {
    const events = new EventEmitter();
    const controller = new AbortController();
    const emit = (event: string, data = ""): void => {
      if (controller.signal.aborted) return;
      page.isOpen = event !== "error";
      if (event === "ready") page.readyTimes.push(performance.now());
      events.emit(event, { data });
    };
    void (async () => {
      const response = await send(path, controller.signal);
      if (response.ok) for await (const { event, data } of readEvents(response)) emit(event, data);
    })().then(
      () => emit("error"),
      () => emit("error"),
    );
    return {
      addEventListener: (type, listener) => void events.on(type, listener),
      close() {
        page.isOpen = false;
        controller.abort();
      },
    };
  }

  const page = { readyTimes: [], isOpen: false, list: () => observers.map((o) => o.getCurrentResult().data) } as Omit<
    LivePage,
    "stream" | "close"
  >;
  const stream = createLiveStream({
    studioId,
    locks: { request: (_name, _options, callback) => callback() },
    openChannel: () => ({ addEventListener: () => {}, postMessage: () => {}, close: () => {} }),
    openSource,
    isVisible: () => true,
    refetch: createRefetcher(client, studioId, () => true),
    cancelRefetches: () => cancelRefetches(client, studioId),
    hasAccess: async () => true,
  });
  return Object.assign(page, {
    stream,
    close() {
      stream.close();
      for (const observer of observers) observer.destroy();
    },
  });
}

/**
 * Edits a post until the test ends, and cuts or stalls the connections of a page that shows it. The returned function
 * asserts that the page never showed an older edit for more than 2 s while its stream was open and edits succeeded.
 */
export async function startEditedPage(t: TestContext, studio: StudioClient): Promise<() => Promise<void>> {
  const { id: postId } = await studio.call("create_post", { title: "Edited", body: "" });
  const { host, port: basePort } = new URL(studio.caller.url);
  const port = await findFreePort();
  const proxy = await startTcpProxy(port, Number(basePort));
  const page = openLivePage(studio.studioId, [[`posts/${postId}`, "post", postId]], (path, signal) =>
    // A browser whose network changed does not reuse connections either.
    studio.browser.send(`http://localhost:${port}${path}`, {
      headers: { host, connection: "close" },
      signal: signal ?? null,
    }),
  );
  /** Acknowledged edits that the page does not show yet. */
  const missing: { edit: number; at: number }[] = [];
  let [editCount, slowestMs, availableSince] = [0, 0, 0];

  async function change(): Promise<void> {
    const edit = editCount + 1;
    try {
      await studio.call("update_post", { postId, tags: [String(edit)] });
      editCount = edit;
      missing.push({ edit, at: performance.now() });
      if (availableSince === Infinity) availableSince = performance.now();
    } catch {
      availableSince = Infinity;
    }
    await sleep(100);
  }

  async function disturb(): Promise<void> {
    await sleep(3000 * Math.random() + 2000, undefined, { signal: t.signal });
    if (Math.random() < 0.5) return proxy.cut();
    proxy.stall();
    await sleep(500);
    page.stream.handleOnline();
  }

  async function measure(): Promise<void> {
    await sleep(20);
    const shown = Number((JSON.parse(page.list()[0] ?? "{}") as { tags?: string[] }).tags?.[0] ?? 0);
    while (missing[0] && missing[0].edit <= shown) missing.shift();
    if (!missing[0] || !page.isOpen) return;
    const since = Math.max(missing[0].at, page.readyTimes.at(-1) ?? 0, availableSince);
    slowestMs = Math.max(slowestMs, performance.now() - since);
  }

  for (const work of [change, disturb, measure])
    void (async () => {
      while (!t.signal.aborted) await work();
    })().catch(() => {});
  t.after(async () => {
    page.close();
    await proxy.close();
  });
  return async () => {
    await waitUntil(() => editCount >= 200, { timeoutMs: 60_000, description: "200 edits" });
    const result = `${editCount} edits, shown after at most ${Math.round(slowestMs)} ms, ${page.readyTimes.length} streams`;
    t.diagnostic(result);
    assert.ok(slowestMs > 0 && slowestMs < 2000, result);
  };
}
