import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { addComment } from "#domain/comments/comments.ts";
import { deletePost } from "#domain/posts/delete-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { removeMember } from "#domain/studios/members.ts";
import { minutes } from "#lib/clock.ts";
import { expectFailure, skipWithoutChromium } from "../support/chromium.ts";
import { useStudioPages } from "../support/studio-pages.ts";
import { newMember } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { uploadImage } from "../support/web-posts.ts";

/** Replaces the event stream by one whose heartbeats follow the clock of the page, which the test advances. */
const clockedStream = `window.EventSource = class extends EventTarget {
  constructor() {
    super();
    const send = (type) => this.dispatchEvent(new MessageEvent(type, { data: "{}" }));
    setTimeout(send, 0, "ready");
    this.timer = setInterval(send, 15000, "heartbeat");
  }
  close() {
    clearInterval(this.timer);
  }
};`;

describe("open pages in a browser", { skip: skipWithoutChromium }, () => {
  const pages = useStudioPages({ accounts: ["harbour"] });
  const isStream = (url: string) => url.endsWith("/events");

  /** Counts requests to the API, and those that have no response yet. */
  function watchRequests(page: Page): { sent: string[]; waitForIdle(): Promise<void> } {
    const sent: string[] = [];
    const running = new Set<unknown>();
    page.on("request", (request) => {
      if (!request.url().includes("/api/") || isStream(request.url())) return;
      sent.push(new URL(request.url()).pathname);
      running.add(request);
    });
    for (const event of ["requestfinished", "requestfailed"] as const)
      page.on(event as "requestfinished", (request) => void running.delete(request));
    return {
      sent,
      async waitForIdle() {
        // The response to this request comes after the page has sent those from before.
        await page.evaluate("fetch('/theme.js').then((response) => response.text())");
        await waitUntil(() => running.size === 0, { description: "all requests have responses" });
      },
    };
  }

  test("send nothing while nothing changes (EVT-1)", async () => {
    const postId = await pages.planPost("Fog", { propose: true });
    await addComment(pages.deps, pages.owner, { postId, body: "A question" });
    await uploadImage(pages.deps, pages.owner, "fog.png");
    const page = await pages.open("posts");
    await page.addInitScript(clockedStream);
    // The counts begin with another day after midnight.
    await page.clock.install({ time: new Date(new Date().setUTCHours(6)) });
    const { sent, waitForIdle } = watchRequests(page);
    for (const path of [
      "posts",
      "posts?view=board",
      "posts?view=calendar",
      `posts/${postId}?panel=comments`,
      "publications",
      "publications/approvals",
      "assets",
      "activity",
      "members",
      "clients",
      "platforms",
      "trash",
    ]) {
      await pages.goTo(page, path);
      await page.getByRole("heading").first().waitFor();
      await page.clock.runFor(minutes(1));
      await waitForIdle();
      await page.clock.runFor(minutes(1)); // requests that waited for a response
      await waitForIdle();
      sent.length = 0;
      await page.clock.runFor(minutes(10));
      await waitForIdle();
      assert.deepEqual(sent, [], path);
    }
  });

  test("show what others change, in all tabs of a browser, which hold one stream (EVT-1, WEB-5)", async () => {
    const postId = await pages.addPost("Fog");
    const streams: string[] = [];
    const leader = await pages.open("posts");
    const context = leader.context();
    context.on("request", (request) => {
      if (isStream(request.url())) streams.push(request.url());
    });
    const post = await pages.open(`posts/${postId}?panel=comments`);
    const [library, activity, queue] = [
      await pages.open("assets"),
      await pages.open("activity"),
      await pages.open("publications/approvals"),
    ];
    assert.deepEqual(streams, [], "the first tab opened the stream");

    await updatePost(pages.deps, pages.owner, { postId, title: "Fog over the harbour", body: "New text." });
    await leader.getByRole("link", { name: "Fog over the harbour" }).waitFor();
    const text = post.getByRole("textbox", { name: "Text", exact: true });
    await waitUntil(async () => (await text.inputValue()) === "New text.", { description: "the new text" });
    await addComment(pages.deps, pages.owner, { postId, body: "A question" });
    await post.getByText("A question").waitFor();
    await activity.getByText(/commented on/).waitFor();
    await uploadImage(pages.deps, pages.owner, "harbour.png");
    await library
      .getByRole("button", { name: /harbour\.png/ })
      .first()
      .waitFor();
    await pages.planPost("Gulls", { propose: true });
    await queue.getByRole("heading", { name: "Gulls" }).waitFor();
    assert.deepEqual(streams, []);

    await leader.close();
    await waitUntil(() => streams.length === 1, { description: "another tab opens a stream" });
    await updatePost(pages.deps, pages.owner, { postId, body: "Newer text." });
    await waitUntil(async () => (await text.inputValue()) === "Newer text.", { description: "the newer text" });
    await uploadImage(pages.deps, pages.owner, "gulls.png");
    await library
      .getByRole("button", { name: /gulls\.png/ })
      .first()
      .waitFor();
    assert.equal(streams.length, 1);
  });

  test("keep unsaved text when the post moves to the trash, and when the membership ends (EVT-1, WEB-6)", async () => {
    const postId = await pages.addPost("Fog");
    const member = await newMember(pages.deps, pages.owner, "member");
    const page = await pages.open(`posts/${postId}`, { user: member });
    const text = page.getByRole("textbox", { name: "Text", exact: true });
    await text.waitFor();
    expectFailure(page.context(), 404, new RegExp(pages.owner.studio.id));
    await page.route(`**/posts/${postId}`, (route) =>
      route.request().method() === "PATCH" ? route.abort() : route.fallback(),
    );
    await text.fill("Unsaved words.");
    await page
      .getByText(/^Not saved/)
      .first()
      .waitFor();
    await deletePost(pages.deps, pages.owner, { postId });
    await page.getByText("This post was moved to the trash.").waitFor();
    assert.equal(await text.inputValue(), "Unsaved words.");

    const { sent, waitForIdle } = watchRequests(page);
    let streamCount = 0;
    page.on("request", (request) => void (streamCount += isStream(request.url()) ? 1 : 0));
    await page.clock.install();
    // When the stream has ended for good, the page reads everything once more.
    const lastResponse = page.waitForResponse(
      (response) => response.url().includes("/platforms?") && response.status() === 404,
    );
    await removeMember(pages.deps, pages.owner, { userId: member.user.id });
    await lastResponse;
    assert.equal(await text.inputValue(), "Unsaved words.");
    await page.clock.runFor(minutes(1));
    await waitForIdle();
    sent.length = 0;
    streamCount = 0;
    await page.clock.runFor(minutes(10));
    await waitForIdle();
    assert.deepEqual(
      [sent.filter((path) => !path.endsWith(postId)), streamCount],
      [[], 0],
      "only the autosave tries again",
    );
    assert.equal(await text.inputValue(), "Unsaved words.");
  });

  test("read what they show every 15 seconds while no stream is open, and at once when it is back (EVT-1)", async () => {
    const postId = await pages.addPost("Fog");
    const page = await pages.open("posts");
    await page.clock.install();
    let isBlocked = true;
    await page.route("**/events", (route) => (isBlocked ? route.abort() : route.continue()));
    await page.reload();
    await page.getByRole("link", { name: "Fog", exact: true }).waitFor();
    await updatePost(pages.deps, pages.owner, { postId, title: "Gulls" });
    await page.clock.runFor(16_000);
    await page.getByRole("link", { name: "Gulls", exact: true }).waitFor();
    isBlocked = false;
    const stream = page.waitForResponse("**/events");
    await page.clock.runFor(minutes(1));
    assert.equal((await stream).status(), 200);
    await updatePost(pages.deps, pages.owner, { postId, title: "Mussels" });
    await page.getByRole("link", { name: "Mussels", exact: true }).waitFor();
  });
});
