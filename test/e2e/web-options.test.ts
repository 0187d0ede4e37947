import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { Caller } from "#domain/caller.ts";
import { createPost } from "#domain/posts/create-post.ts";
import { getPost } from "#domain/posts/get-post.ts";
import { publishPost } from "#domain/publishing/publish-post.ts";
import { assertAccessible } from "../support/axe.ts";
import { skipWithoutChromium } from "../support/chromium.ts";
import { actThroughDrafter } from "../support/history-fixture.ts";
import { newConnection } from "../support/platform-fixture.ts";
import { connectSandboxAccount } from "../support/sandbox-accounts.ts";
import { phone } from "../support/studio-pages.ts";
import { newStudio } from "../support/users.ts";
import { startWebFixture, waitForData, type WebFixture } from "../support/web-fixture.ts";

const desktop = { width: 1440, height: 900 };

describe("options and threads in a browser", { skip: skipWithoutChromium }, () => {
  let fixture: WebFixture;
  let owner: Caller;
  let page: Page;
  let connectionId: string;

  before(async () => {
    fixture = await startWebFixture();
    owner = await newStudio(fixture.service.deps);
    const context = await fixture.openContext(owner, { viewport: desktop, bypassCSP: true });
    page = await context.newPage();
    const studioUrl = `${fixture.service.base}/studios/${owner.studio.id}`;
    connectionId = await connectSandboxAccount(fixture.service.deps, page, studioUrl, "harbour");
  });
  after(async () => {
    await fixture?.close();
  });

  const newPost = async (body: string) =>
    (await createPost(fixture.service.deps, owner, { title: "Harbour", body })).id;
  const readPost = (postId: string) => getPost(fixture.service.deps, owner, { postId });
  const open = async (path: string) => {
    await page.goto(`${fixture.service.base}/studios/${owner.studio.id}/${path}`);
    await waitForData(page);
  };
  const openAccount = async (postId: string) => {
    await open(`posts/${postId}`);
    await page.getByRole("tab", { name: /^harbour/ }).click();
  };
  const assertDialogFits = async () => {
    for (const viewport of [phone, desktop]) {
      await page.setViewportSize(viewport);
      await assertAccessible(page);
    }
  };

  test("the options of an account are a form that the platform describes (OPTION-1)", async () => {
    const postId = await newPost("A vase");
    await openAccount(postId);
    await page.getByRole("button", { name: "Options for harbour…" }).click();
    await assertDialogFits();
    await page.getByRole("combobox", { name: "Visibility" }).selectOption("Unlisted");
    await page.getByRole("combobox", { name: "Audience" }).selectOption("Adults");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    assert.deepEqual((await readPost(postId)).variants[0]?.options, { audience: "adults", visibility: "unlisted" });
    await page.getByRole("button", { name: "Options for harbour…" }).click();
    await page.getByRole("combobox", { name: "Visibility" }).selectOption("Public");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    assert.deepEqual((await readPost(postId)).variants[0]?.options, { audience: "adults" });
  });

  test("the choices of an option are those that the account has (OPTION-5)", async () => {
    const { deps } = fixture.service;
    const tiktok = await newConnection(deps, owner, "north-tiktok", "tiktok");
    const choices = {
      privacy: [
        { value: "MUTUAL_FOLLOW_FRIENDS", label: "Friends" },
        { value: "SELF_ONLY", label: "Only you" },
      ],
      interactions: [{ value: "none", label: "Nothing" }],
    };
    await deps.transact({ job: "test" }, (tx) => tx.platformStore.storeChoices(tiktok, choices, deps.clock()));
    const postId = await newPost("A vase");
    await open(`posts/${postId}`);
    await page.getByRole("tab", { name: /^north-tiktok/ }).click();
    await page.getByRole("button", { name: "Options for north-tiktok…" }).click();
    const privacy = page.getByRole("combobox", { name: "Who can see it" });
    await privacy.waitFor();
    await assertDialogFits();
    assert.deepEqual(await privacy.getByRole("option").allTextContents(), ["Choose…", "Friends", "Only you"]);
    await page.getByRole("combobox", { name: "How to post" }).selectOption("draft");
    assert.equal(await privacy.getAttribute("required"), null, "a draft does not need it");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    assert.deepEqual((await readPost(postId)).variants[0]?.options, { mode: "draft" });
  });

  test("approving asks for what only a person may choose (OPTION-3)", async () => {
    const { deps } = fixture.service;
    const client = await actThroughDrafter(deps, owner);
    const { id: postId } = await createPost(deps, client, { title: "Advert", body: "A vase for sale #ad" });
    const { publications } = await publishPost(deps, client, { postId, connectionIds: [connectionId] });
    await open(`publications/${publications[0]?.id}`);
    await page.getByRole("button", { name: /^Approve and publish/ }).click();
    await assertDialogFits();
    await page.getByRole("combobox", { name: "Audience" }).selectOption("Everyone");
    await page.getByRole("dialog").getByRole("button", { name: "Approve and publish" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    const { variants, publications: approved } = await readPost(postId);
    assert.deepEqual([variants[0]?.options, approved?.[0]?.state], [{ audience: "everyone" }, "scheduled"]);
  });

  test("a long text is split into a thread at the ends of sentences (FOLLOW-4)", async () => {
    const sentence = (i: number) =>
      `Sentence ${i} of a long story about a vase in the harbour that nothing interrupts.`;
    const postId = await newPost(Array.from({ length: 9 }, (_, i) => sentence(i)).join(" "));
    await openAccount(postId);
    await page.getByRole("button", { name: "Thread on harbour…" }).click();
    await page.getByRole("button", { name: "Split into a thread" }).click();
    await page.getByRole("textbox", { name: "Part 3" }).waitFor();
    await assertDialogFits();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Thread on harbour…" }).getByText("Thread of 3…").waitFor();
    const [variant] = (await readPost(postId)).variants;
    assert.deepEqual(variant?.followUps, [
      [sentence(3), sentence(4), sentence(5)].join(" "),
      [sentence(6), sentence(7), sentence(8)].join(" "),
    ]);
  });
});
