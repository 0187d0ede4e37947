import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import { assertAccessible, findViolations } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { connectSandboxAccount, listSandboxTexts } from "../support/sandbox-accounts.ts";
import { newStudio } from "../support/users.ts";
import { startWebFixture, type WebFixture } from "../support/web-fixture.ts";
import { attachNewFile } from "../support/web-posts.ts";

describe("a guest reviews posts", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let editor: Page;
  const errors: string[] = [];
  const postIds: string[] = [];
  let pageUrl = "";
  const shots = process.env["REVIEW_SHOTS"];

  before(async () => {
    fixture = await startWebFixture();
    const { deps } = fixture.service;
    owner = await newStudio(deps, undefined, "North");
    fixture.service.startWorker();
    editor = await fixture.newPage(owner, { viewport: { width: 1440, height: 1000 }, bypassCSP: true });
    await connectSandboxAccount(deps, editor, `${fixture.service.base}/studios/${owner.studio.id}`, "north");
    for (const title of ["Spring catalogue", "Harbour walk"])
      postIds.push((await createPost(deps, owner, { title, body: `${title}: open from ten to four.` })).id);
    await attachNewFile(deps, owner, postIds[0] ?? "", "vase.png");
  });
  after(async () => {
    await fixture?.service.stopWorker();
    await fixture?.close();
    assert.deepEqual(errors, []);
  });

  const shoot = async (page: Page, name: string) =>
    shots === undefined ? undefined : page.screenshot({ path: `${shots}/${name}.png`, fullPage: true });

  test("from sharing two posts to the approval of both, with the difference in between (REV-1, REV-3, REV-4, HOLD-1)", async () => {
    const { deps, base } = fixture.service;
    editor.setDefaultTimeout(20_000);
    await editor.goto(`${base}/studios/${owner.studio.id}/posts`);
    for (const title of ["Spring catalogue", "Harbour walk"])
      await editor.getByRole("checkbox", { name: new RegExp(title) }).check();
    await editor.getByRole("button", { name: /Share/ }).click();
    await editor.getByRole("checkbox", { name: "Publishing waits for this review" }).check();
    await editor.getByLabel("Message (optional)").fill("Please look at both.");
    await editor.getByRole("button", { name: "Create link" }).click();
    const url = (await editor.getByRole("dialog").locator("code").textContent()) ?? "";

    const context = await fixture.openContext(undefined, { viewport: { width: 390, height: 844 } });
    const guest = await context.newPage();
    guest.setDefaultTimeout(20_000);
    guest.on("pageerror", (error) => void errors.push(error.message));
    const hosts = new Set<string>();
    guest.on("request", (request) => void hosts.add(new URL(request.url()).host));
    await guest.goto(url);
    const post = (title: string) => guest.getByRole("article", { name: title });
    await post("Spring catalogue").locator("img").waitFor();
    await shoot(guest, "guest-390");
    await guest.getByLabel("Your name").fill("Greta");
    await post("Spring catalogue").getByRole("button", { name: "Approve", exact: true }).press("Enter");
    await guest.getByText("Approved by Greta.").waitFor();
    // Right after the decision about the other post, whose answer shows all posts again.
    await post("Harbour walk").getByLabel("Comment").fill("Say that it is free.");
    await post("Spring catalogue").getByRole("button", { name: "Approve", exact: true }).press("Enter");
    await guest.getByText("Approved. Thank you.").waitFor();
    await post("Spring catalogue").and(guest.locator(":focus")).waitFor();
    await post("Harbour walk").getByRole("button", { name: "Ask for changes" }).press("Enter");
    await guest.getByText("Greta asked for changes.").waitFor();
    assert.ok((await guest.evaluate<number>("document.documentElement.scrollWidth")) <= 390);

    const [, secondId = ""] = postIds;
    await editor.goto(`${base}/studios/${owner.studio.id}/posts/${secondId}`);
    await editor.getByText("Changes asked for, publishing waits").waitFor();
    await editor.getByText("Say that it is free.").waitFor();
    await assertAccessible(editor);
    await shoot(editor, "editor-1440");
    await updatePost(deps, owner, { postId: secondId, body: "Harbour walk: free, open from ten to four." });
    await editor.getByText("Changed since the decision, publishing waits").waitFor();
    await editor.getByText("What changed since").click();
    await editor.getByRole("group", { name: "What changed" }).locator("ins", { hasText: "free" }).waitFor();
    await shoot(editor, "editor-difference-1440");

    await guest.setViewportSize({ width: 1440, height: 1000 });
    await guest.reload();
    await post("Harbour walk").getByText("What changed").waitFor();
    await post("Harbour walk").locator("ins", { hasText: "free" }).waitFor();
    await shoot(guest, "guest-1440");
    await guest.emulateMedia({ colorScheme: "dark" });
    await shoot(guest, "guest-1440-dark");
    await guest.getByLabel("Your name").fill("Greta");
    await post("Harbour walk").getByRole("button", { name: "Approve", exact: true }).click();
    await post("Harbour walk").getByText("Approved by Greta.").waitFor();
    await editor.getByText("Approved", { exact: true }).waitFor();

    await editor.goto(`${base}/studios/${owner.studio.id}/posts?review=approved`);
    for (const title of ["Spring catalogue", "Harbour walk"])
      await editor.getByRole("listitem").filter({ hasText: title }).getByText("Guest approved").waitFor();
    await shoot(editor, "list-1440");
    for (const postId of postIds) {
      await editor.goto(`${base}/studios/${owner.studio.id}/posts/${postId}`);
      await editor.getByRole("button", { name: "Publish…" }).click();
      await editor.getByRole("dialog").getByRole("button", { name: "Publish now" }).click();
      await editor.getByText("Published", { exact: true }).first().waitFor();
    }
    assert.deepEqual((await listSandboxTexts(base)).toSorted(), [
      "Harbour walk: free, open from ten to four.",
      "Spring catalogue: open from ten to four.",
    ]);
    assert.deepEqual([...hosts], [new URL(base).host]);
    assert.deepEqual(await context.cookies(), []);
    pageUrl = url;
  });

  test("the page passes axe-core, fits 360 px, and speaks the guest’s language (REV-9)", async (t) => {
    const context = await fixture.openContext(undefined, {
      viewport: { width: 360, height: 780 },
      locale: "de-DE",
      bypassCSP: true,
    });
    const guest = await context.newPage();
    for (const colorScheme of ["light", "dark"] as const) {
      await guest.emulateMedia({ colorScheme });
      await guest.goto(pageUrl);
      await guest.getByRole("button", { name: "Freigeben" }).first().waitFor();
      await guest.getByRole("heading", { name: "Prüfung" }).waitFor();
      assert.equal(await guest.locator("html").getAttribute("lang"), "de");
      assert.deepEqual(await findViolations(guest), [], colorScheme);
      assert.ok((await guest.evaluate<number>("document.documentElement.scrollWidth")) <= 360);
      await shoot(guest, `guest-360-${colorScheme}`);
    }
    const cdp = await context.newCDPSession(guest);
    await cdp.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    await guest.goto(pageUrl);
    await guest.getByRole("button", { name: "Freigeben" }).first().waitFor();
    const ms = await guest.evaluate<number>("performance.now()");
    t.diagnostic(`ready after ${Math.round(ms)} ms on a CPU four times slower`);
  });
});
