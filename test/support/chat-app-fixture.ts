import type { TestContext } from "node:test";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { startAppHost, type AppHost, type AppHostOptions } from "./app-host.ts";
import { fromNow } from "./clock.ts";
import { openObservedPage, type Browser, type ObservedPage, type Page } from "./chromium.ts";
import type { RunningService } from "./service.ts";
import { createTestGrant } from "./tokens.ts";
import { newStudio } from "./users.ts";

/** What the host's page records (app-host-page.js). */
interface HostWindow {
  /** Every message that the host received from the app. */
  messages: { method?: string; params?: Record<string, unknown> }[];
  /** Every message that the host sent to the app. */
  sentMessages: Record<string, unknown>[];
  sendToApp(message: Record<string, unknown>): void;
  toolCalls: { name: string; arguments: Record<string, unknown> }[];
  openedLinks: string[];
}

export interface OpenedChat extends ObservedPage {
  host: AppHost;
  /** The app's frame. */
  app: ReturnType<Page["frameLocator"]>;
  owner: Caller;
  postId: string;
  readHost<T>(read: (window: HostWindow) => T): Promise<T>;
  /** Sends a message to the app, as the host. */
  sendToApp(message: Record<string, unknown>): Promise<void>;
  countCalls(tool: string): Promise<number>;
}

type ChatOptions = Partial<Omit<AppHostOptions, "tool">> & {
  /** The tool that shows the app; get_post by default. */
  tool?: string;
  /** For axe-core, which the host's policy would block. */
  bypassCSP?: boolean;
  /** Timers of the page and the app run only in `page.clock.runFor`. */
  isClockPaused?: boolean;
  /** Changes the studio before the tool is called. */
  prepare?: (owner: Caller, postId: string) => Promise<unknown>;
};

/** Opens a chat that shows a new post in the app. It closes after the test. */
export async function openChat(
  t: TestContext,
  service: RunningService,
  browser: Browser,
  { tool = "get_post", prepare, bypassCSP = false, isClockPaused = false, ...options }: ChatOptions = {},
): Promise<OpenedChat> {
  const owner = await newStudio(service.deps);
  const { id: postId } = await createPost(service.deps, owner, { title: "Harbour at dawn", body: "Boats and gulls." });
  await prepare?.(owner, postId);
  const { token } = await createTestGrant(service.deps, owner);
  const host = await startAppHost({
    url: `${service.base}/mcp`,
    token,
    tool: { name: tool, arguments: { postId } },
    ...options,
  });
  t.after(() => host.close());
  const observed = await openObservedPage(browser, { bypassCSP });
  t.after(() => observed.context.close());
  const { page } = observed;
  if (isClockPaused) {
    await page.clock.install();
    await page.clock.pauseAt(fromNow(60_000));
  }
  await page.goto(host.url);
  const readHost: OpenedChat["readHost"] = (read) => page.evaluate(`(${read.toString()})(window)`);
  return {
    ...observed,
    host,
    owner,
    postId,
    app: page.frameLocator('iframe[title="App"]'),
    readHost,
    sendToApp: (message) => page.evaluate(`sendToApp(${JSON.stringify(message)})`),
    countCalls: async (name) =>
      (await readHost(({ toolCalls }) => toolCalls.map((call) => call.name))).filter((call) => call === name).length,
  };
}
