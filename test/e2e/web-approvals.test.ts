import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { approvePublication } from "#domain/publishing/approve-publications.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { hours, seconds } from "#lib/clock.ts";
import { findViolations } from "../support/axe.ts";
import { getBox, type Box } from "../support/boxes.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { fromNow } from "../support/clock.ts";
import { actThroughClient } from "../support/history-fixture.ts";
import { refetch, waitForFit } from "../support/page-waits.ts";
import { cancelPublications, connectSandboxAccount, listSandboxTexts } from "../support/sandbox-accounts.ts";
import { phone } from "../support/studio-pages.ts";
import { newStudio } from "../support/users.ts";
import { waitUntil } from "../support/wait-until.ts";
import { startWebFixture, waitForData, type WebFixture } from "../support/web-fixture.ts";

const desktop = { width: 1440, height: 900 };
const approveButton = { name: /^Approve and publish/ };

describe("approving in a browser", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let client: Caller;
  let page: Page;
  let connectionIds: string[];
  let stoppedAt = 0;
  /** The approvals and undone approvals that the page has sent. */
  const sentDecisions: string[] = [];

  before(async () => {
    fixture = await startWebFixture();
    owner = await newStudio(fixture.service.deps);
    client = { ...(await actThroughClient(fixture.service.deps, owner)), scopes: ["studio:read", "studio:write"] };
    const context = await fixture.openContext(owner, { viewport: desktop, bypassCSP: true });
    page = await context.newPage();
    page.on("request", (request) => {
      const decision = /\/(approve|unapprove)$/.exec(request.url());
      if (decision) sentDecisions.push(decision[1] ?? "");
    });
    const studioUrl = `${fixture.service.base}/studios/${owner.studio.id}`;
    connectionIds = [];
    for (const account of ["harbour", "lighthouse"])
      connectionIds.push(await connectSandboxAccount(fixture.service.deps, page, studioUrl, account));
  });
  afterEach(async () => {
    await cancelPublications(fixture.service.deps, owner);
    sentDecisions.length = 0;
    await page.clock.resume();
    await page.setViewportSize(desktop);
  });
  after(async () => {
    await fixture?.close();
  });

  const openStudioPage = (path: string) => page.goto(`${fixture.service.base}/studios/${owner.studio.id}/${path}`);
  async function propose(title: string, plan: { accountCount?: number; at?: string } = {}) {
    const { deps } = fixture.service;
    const { accountCount = 1, ...time } = plan;
    const { id: postId } = await createPost(deps, client, { title, body: `${title}.` });
    const request = { postId, connectionIds: connectionIds.slice(0, accountCount), ...time };
    const { publications } = await publishPost(deps, client, request);
    return { postId, ids: publications.map(({ id }) => id) };
  }
  const readState = async (publicationId = "") =>
    (await fixture.service.deps.publications.find(owner.studio.id, publicationId))?.state;
  const waitForState = (publicationId: string | undefined, state: string) =>
    waitUntil(async () => (await readState(publicationId)) === state, { timeoutMs: 60_000, description: state });
  const isPublic = async (text: string) => (await listSandboxTexts(fixture.service.base)).includes(text);
  const proposals = () => page.getByRole("list", { name: "Waiting for approval" }).locator("> li");
  const findProposal = (title: string) => proposals().filter({ has: page.getByRole("heading", { name: title }) });
  const findToast = (title: string) => page.getByRole("listitem").filter({ hasText: `“${title}” approved.` });
  const openQueue = async () => {
    await openStudioPage("publications/approvals");
    await page.getByRole("button", approveButton).first().waitFor();
    await waitForData(page);
  };
  async function findBox(element: Locator): Promise<Box> {
    await element.scrollIntoViewIfNeeded();
    return getBox(element);
  }
  const click = ({ x, y, width, height }: Box) => page.mouse.dblclick(x + width / 2, y + height / 2);
  /** The labels of the buttons and links in this place, from its left to its right edge. */
  const findClickable = async ({ x, y, width, height }: Box) => {
    const labels: unknown[] = [];
    for (const left of [x + 4, x + width / 4, x + width / 2, x + (3 * width) / 4, x + width - 4]) {
      const element = `document.elementFromPoint(${left}, ${y + height / 2})`;
      labels.push(await page.evaluate(`${element}?.closest("a, button, input, summary")?.textContent`));
    }
    return labels.filter((label) => label !== undefined);
  };
  /** Stops the clock of the page, so that a slow machine does not let ten seconds pass. */
  const stopClock = () => page.clock.setFixedTime((stoppedAt = Date.parse(fromNow(0))));
  const advanceClock = (ms: number) => page.clock.setFixedTime((stoppedAt += ms));

  test("Approve… on a post opens the proposals of this post only (WEB-13)", async () => {
    await propose("Anchor", { accountCount: 2 });
    const { postId } = await propose("Buoy", { accountCount: 2 });
    await openStudioPage(`posts/${postId}`);
    await page.getByRole("link", { name: "Approve…" }).click();
    await page.getByRole("button", approveButton).nth(1).waitFor();
    assert.deepEqual(await proposals().getByRole("heading", { level: 2 }).allTextContents(), ["Buoy", "Buoy"]);
    await page.getByRole("link", { name: "See all approvals" }).click();
    await findProposal("Anchor").first().waitFor();
  });

  for (const [name, viewport] of Object.entries({ desktop, phone }))
    test(`on a ${name}, a second click where the user approved a post does nothing (WEB-13, B2)`, async () => {
      await page.setViewportSize(viewport);
      const sent = [await propose(`Dock ${name}`), await propose(`Eel ${name}`), await propose(`Fish ${name}`)];
      await openQueue();
      const first = findProposal(`Dock ${name}`);
      const place = await findBox(first.getByRole("button", approveButton));
      const next = findProposal(`Eel ${name}`).getByRole("heading");
      const nextBox = await getBox(next);
      await stopClock();
      await click(place);
      await findToast(`Dock ${name}`).waitFor();
      // The toast can appear before the buttons are replaced.
      await first.getByText("Approved", { exact: true }).waitFor();
      assert.deepEqual(await findClickable(place), [], "nothing to click there");
      assert.deepEqual(await getBox(next), nextBox, "the next post did not move");
      await click(place);
      await refetch(page, /\/publications\?/);
      assert.deepEqual(sentDecisions, ["approve"]);
      const states = await Promise.all(sent.map(({ ids }) => readState(ids[0])));
      assert.deepEqual(states, ["scheduled", "proposed", "proposed"]);
    });

  test("what other people do moves no proposal (WEB-13, B2)", async () => {
    const { deps } = fixture.service;
    const first = await propose("Gull", { at: fromNow(hours(3)) });
    await propose("Heron", { at: fromNow(hours(4)) });
    await openStudioPage("publications/approvals");
    await findProposal("Heron")
      .getByRole("button", { name: /^Approve for/ })
      .waitFor();
    await waitForData(page);
    const heading = findProposal("Heron").getByRole("heading");
    const box = await getBox(heading);
    await approvePublication(deps, owner, { publicationId: first.ids[0] ?? "", revision: 1 });
    await propose("Ibis", { at: fromNow(hours(1)) });
    await findProposal("Ibis").waitFor();
    await findProposal("Gull").getByText("Approved", { exact: true }).waitFor();
    assert.deepEqual(await getBox(heading), box);
    const titles = await proposals().getByRole("heading", { level: 2 }).allTextContents();
    assert.deepEqual(titles, ["Gull", "Heron", "Ibis"]);
  });

  test("counts down ten seconds in which Undo returns the post to the proposals (WEB-13, PUB-30)", async () => {
    const { ids } = await propose("Kelp");
    await openQueue();
    const approve = findProposal("Kelp").getByRole("button", approveButton);
    await stopClock();
    await approve.click();
    const toast = findToast("Kelp");
    await toast.getByText("Publishing to harbour in 10 s.").waitFor();
    await advanceClock(seconds(7));
    await toast.getByText("Publishing to harbour in 3 s.").waitFor();
    assert.deepEqual(await findViolations(page), []);
    await toast.getByRole("button", { name: "Undo" }).click();
    await page.getByText("“Kelp” waits for approval again. Nothing was published.").first().waitFor();
    await approve.waitFor();
    assert.equal(await readState(ids[0]), "proposed");
    assert.equal(await isPublic("Kelp."), false);

    await approve.click();
    await toast.getByText("Publishing to harbour in 10 s.").waitFor();
    await advanceClock(seconds(10));
    await toast.waitFor({ state: "detached" });
    fixture.service.startWorker();
    await waitForState(ids[0], "published");
    await fixture.service.stopWorker();
    await findProposal("Kelp").getByText("Published", { exact: true }).waitFor();
    assert.equal(await isPublic("Kelp."), true);
  });

  test("by keyboard, the focus stays at the approved post, and F8 leads to Undo (WEB-12, WEB-13)", async () => {
    const { ids } = await propose("Limpet");
    await propose("Mussel");
    await openQueue();
    await stopClock();
    await findProposal("Limpet").getByRole("button", approveButton).focus();
    await page.keyboard.press("Enter");
    const status = findProposal("Limpet").getByText("Approved", { exact: true });
    await status.waitFor();
    await findToast("Limpet").waitFor();
    await waitUntil(() => page.locator("p:focus").filter({ hasText: "Approved" }).isVisible());
    await page.keyboard.press("Enter");
    await page.keyboard.press("F8");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await waitForState(ids[0], "proposed");
    assert.deepEqual(sentDecisions, ["approve", "unapprove"]);
  });

  test("a toast takes no click that was meant for what it covers (WEB-13)", async () => {
    await propose("Newt");
    await openQueue();
    const pointerEvents = page.evaluate(`new Promise((resolve) => {
      const observer = new MutationObserver(() => {
        const toast = [...document.querySelectorAll("li")].find((item) => item.textContent.includes("“Newt” approved"));
        if (toast) resolve(getComputedStyle(toast).pointerEvents);
      });
      observer.observe(document.body, { childList: true, subtree: true });
    })`);
    await findProposal("Newt").getByRole("button", approveButton).click();
    assert.equal(await pointerEvents, "none");
  });

  for (const colorScheme of ["light", "dark"] as const)
    test(`the page of a publication keeps its layout while the approval can be undone, in ${colorScheme} colors (WEB-12, WEB-13)`, async () => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(phone);
      const { ids } = await propose(`Otter ${colorScheme}`);
      await openStudioPage(`publications/${ids[0]}`);
      const approve = page.getByRole("button", approveButton);
      await approve.waitFor();
      await waitForData(page);
      const place = await findBox(approve);
      const heading = page.getByRole("heading", { name: "Timeline" });
      const box = await getBox(heading);
      await stopClock();
      await click(place);
      await findToast(`Otter ${colorScheme}`).waitFor();
      await page.getByText("Approved", { exact: true }).waitFor();
      assert.deepEqual(await findClickable(place), []);
      assert.deepEqual(await getBox(heading), box);
      assert.deepEqual(await findViolations(page), []);
      await waitForFit(page);
      await page.getByRole("button", { name: "Undo" }).click();
      await approve.waitFor();
      assert.equal(await readState(ids[0]), "proposed");
    });
});
