import type { TestDeps } from "./engines.ts";
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach } from "node:test";
import type { BrowserContext, Page } from "playwright-core";
import type { Caller, SignedInUser } from "#domain/caller.ts";
import { getPost } from "#domain/posts/get-post.ts";
import type { Mailer } from "#domain/ports/mails.ts";
import type { PublicationChange } from "#domain/ports/publications.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { addMonths } from "../../web/src/posts/calendar/calendar-days.ts";
import { resolveLocalTime, toLocalTime } from "#portable/zoned-time.ts";
import { fromNow } from "./clock.ts";
import { waitForPaint } from "./page-waits.ts";
import { newConnection } from "./platform-fixture.ts";
import { newStudio, newUser } from "./users.ts";
import { startWebFixture, type WebFixture } from "./web-fixture.ts";
import { createPostWithFiles } from "./web-posts.ts";

export const timezone = "Europe/Berlin";
export const today = toLocalTime(Date.parse(fromNow(0)), timezone).slice(0, 10);
/** In the middle of next month. */
export const plannedDay = `${addMonths(today, 1).slice(0, 7)}-15`;

export const phone = { width: 390, height: 844 };
const devices = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: phone, hasTouch: true, isMobile: true },
  tablet: { viewport: { width: 1024, height: 1366 }, hasTouch: true, isMobile: true },
};

/** When and where a post is published: by default at once, to all accounts. */
interface Plan {
  /** In the studio's time zone: `2026-11-15T09:30`. */
  at?: string;
  connectionIds?: readonly string[];
  propose?: boolean;
}

interface OpenOptions {
  user?: Caller;
  device?: keyof typeof devices;
}

/** Pages of a studio that is new for each test, and what tests do in it without the pages. */
export interface StudioPages {
  fixture: WebFixture;
  deps: TestDeps;
  owner: Caller;
  /** Of the studio's accounts, in their order. */
  connectionIds: string[];
  /** Opens a path of the studio, such as `posts?view=board`, until the page handles keys. */
  open(path: string, options?: OpenOptions): Promise<Page>;
  /** Opens another path of the studio. */
  goTo(page: Page, path: string): Promise<void>;
  addPost(title: string, change?: Parameters<typeof createPostWithFiles>[3]): Promise<string>;
  planPost(title: string, plan: Plan): Promise<string>;
  readPost(postId: string): ReturnType<typeof getPost>;
  /** Account, state and local time of each publication, by account, the newest first. */
  readPlans(postId: string): Promise<string[]>;
  /** Changes the open publications of a post. */
  changePublications(postId: string, values: PublicationChange): Promise<void>;
}

/**
 * Prepares the suite that calls it: each test gets a new studio with these accounts. Tests share browser contexts, one
 * per user and device; their pages are closed after each test.
 */
export function useStudioPages({
  accounts = [],
  createMailer,
}: { accounts?: readonly string[]; createMailer?: () => Mailer } = {}): StudioPages {
  const contexts = new Map<string, BrowserContext>();
  let user: SignedInUser;
  async function openContext(viewer: Caller, device: keyof typeof devices): Promise<BrowserContext> {
    const key = `${viewer.user.id} ${device}`;
    const context =
      contexts.get(key) ?? (await pages.fixture.openContext(viewer, { bypassCSP: true, ...devices[device] }));
    contexts.set(key, context);
    return context;
  }
  const pages = {
    async open(path, { user: viewer = pages.owner, device = "desktop" } = {}) {
      const page = await (await openContext(viewer, device)).newPage();
      await pages.goTo(page, path);
      await page.getByRole("heading").first().waitFor();
      await waitForPaint(page);
      return page;
    },
    async goTo(page, path) {
      await page.goto(`${pages.fixture.service.base}/studios/${pages.owner.studio.id}/${path}`);
    },
    addPost: (title, change) => createPostWithFiles(pages.deps, pages.owner, title, change),
    async planPost(title, { at, connectionIds = pages.connectionIds, propose = false }) {
      const postId = await pages.addPost(title);
      const time = at === undefined ? {} : { at: toIso(at) };
      await publishPost(pages.deps, pages.owner, { postId, connectionIds: [...connectionIds], propose, ...time });
      return postId;
    },
    readPost: (postId) => getPost(pages.deps, pages.owner, { postId }),
    async readPlans(postId) {
      const { publications = [] } = await pages.readPost(postId);
      return publications
        .toSorted((a, b) => a.account.localeCompare(b.account))
        .map(({ account, state, scheduledFor }) =>
          [account, state, scheduledFor && toLocalTime(Date.parse(scheduledFor), timezone)].filter(Boolean).join(" "),
        );
    },
    async changePublications(postId, values) {
      for (const { id } of (await pages.readPost(postId)).publications ?? [])
        await pages.deps.writes.publications.update(
          id,
          { ...values, dueAt: null, nextRunAt: null },
          { states: ["scheduled", "proposed"] },
        );
    },
  } as StudioPages;

  before(async () => {
    pages.fixture = await startWebFixture(undefined, {}, createMailer?.());
    pages.deps = pages.fixture.service.deps;
    user = await newUser(pages.deps, { name: "Ada Berg" });
  });
  beforeEach(async () => {
    pages.owner = await newStudio(pages.deps, user, "North");
    await pages.deps.studios.update(pages.owner.studio.id, { timezone });
    pages.connectionIds = [];
    for (const account of accounts)
      pages.connectionIds.push(await newConnection(pages.deps, pages.owner, account, "sandbox"));
  });
  afterEach(async () => {
    for (const context of contexts.values()) for (const page of context.pages()) await page.close();
  });
  after(() => pages.fixture?.close());
  return pages;
}

export function toIso(localTime: string): string {
  const time = resolveLocalTime(localTime, timezone);
  assert.ok(time.kind === "valid", localTime);
  return time.iso;
}
