import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import type { SignedInUser } from "#domain/caller.ts";
import { createGrant } from "#domain/access/clients.ts";
import { createInvitationToken, newUser, newStudio } from "../../test/support/users.ts";
import type { WebFixture } from "../../test/support/web-fixture.ts";
import { throttleUploads } from "../../test/support/upload-fixture.ts";
import { samplePostBody, type SampleStudio } from "./studio.ts";

/** One state of one page. */
export interface Scene {
  name: string;
  user?: SignedInUser;
  /** Runs alone, because it changes what other scenes show. */
  isExclusive?: boolean;
  /** Opens the page and brings it into the state to capture. */
  prepare: (page: Page) => Promise<void>;
}

const clickButton = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first().click();

export async function createWebScenes({ service }: WebFixture, sampleStudio: SampleStudio): Promise<Scene[]> {
  const { base, deps } = service;
  const { owner, member, postId, archivedPostId } = sampleStudio;
  const userWithoutStudio = await newUser(deps, { name: "Noor Haddad" });
  const emptyStudioOwner = await newStudio(deps, await newUser(deps, { name: "Noor Haddad" }), "North Light");
  const openPath = (path: string) => (page: Page) => openAndSettle(page, `${base}${path}`);
  const openStudioPage = ({ studio }: { studio: { id: string } }, path: string) =>
    openPath(`/studios/${studio.id}/${path}`);
  const createScene = (
    name: string,
    user: SignedInUser | undefined,
    openPage: (page: Page) => Promise<unknown>,
    interact: (page: Page) => Promise<unknown> = async () => {},
  ): Scene => ({
    name,
    ...(user ? { user } : {}),
    prepare: async (page) => {
      await openPage(page);
      await interact(page);
    },
  });
  const openSamplePost = openStudioPage(owner, `posts/${postId}`);
  // Scenes that change data do so in a separate studio, each on a new post, so their changes do not appear elsewhere.
  const scratchStudioOwner = await newStudio(deps, await newUser(deps, { name: "Mira Okafor" }), "Blue Door Studio");
  const openScratchPost = async (page: Page): Promise<string> => {
    const createdPost = await createPost(deps, scratchStudioOwner, {
      title: "Spring catalogue: the cover",
      body: samplePostBody,
    });
    await openStudioPage(scratchStudioOwner, `posts/${createdPost.id}`)(page);
    return createdPost.id;
  };

  return [
    createScene("start-signed-out", undefined, openPath("/")),
    createScene("login", undefined, openPath("/login")),
    createScene("dev-issuer", undefined, openPath("/login"), async (page) => {
      await clickButton(page, /^Continue with/);
      await page.getByLabel("Email").fill("mira.okafor@bluedoor.example");
    }),
    createScene("dev-issuer-error", undefined, openPath("/login"), async (page) => {
      await clickButton(page, /^Continue with/);
      await page.getByLabel("Email").fill("mira");
      await page.evaluate("document.forms[0].noValidate = true");
      await clickButton(page, "Sign in");
    }),
    createScene("consent", owner, async (page) => page.goto(await createAuthorizeUrl(base))),
    createScene("join", userWithoutStudio, async (page) =>
      page.goto(`${base}/join/${await createInvitationToken(deps, scratchStudioOwner, "member")}`),
    ),
    createScene("join-invalid", userWithoutStudio, openPath("/join/nothing")),
    createScene("first-studio", userWithoutStudio, openPath("/")),
    createScene("new-studio", owner, openPath("/studios/new")),
    ...["posts", "assets", "platforms", "clients", "members", "activity"].map((page) =>
      createScene(`${page}-empty`, emptyStudioOwner, openStudioPage(emptyStudioOwner, page)),
    ),
    ...[
      "posts",
      "posts?view=board",
      "posts?status=ready",
      "posts?q=lighthouse",
      "posts/new",
      "assets",
      "assets?usage=unused",
    ].map((page) => createScene(page.replace(/\W+/g, "-"), owner, openStudioPage(owner, page))),
    ...["members", "platforms", "clients", "activity", "settings"].map((page) =>
      createScene(page, owner, openStudioPage(owner, page)),
    ),
    createScene("clients-member", member, openStudioPage(member, "clients")),
    createScene("platforms-member", member, openStudioPage(member, "platforms")),
    createScene("members-member", member, openStudioPage(member, "members")),
    createScene("switcher", owner, openStudioPage(owner, "posts"), async (page) => {
      await page
        .getByRole("button", { name: /Switch studio/ })
        .locator("visible=true")
        .click();
    }),
    createScene("menu", owner, openStudioPage(owner, "posts"), async (page) => {
      const menu = page.getByRole("button", { name: "Menu" });
      if (await menu.isVisible()) await menu.click();
    }),
    createScene("post", owner, openSamplePost, (page) =>
      page.getByRole("list", { name: "Files of this post" }).waitFor(),
    ),
    createScene("post-preview", owner, openSamplePost, (page) => clickButton(page, "Preview")),
    createScene("post-archived", owner, openStudioPage(owner, `posts/${archivedPostId}`)),
    createScene("post-select-files", owner, openSamplePost, async (page) => {
      await clickButton(page, "Select files");
      await page
        .getByRole("checkbox", { name: /^Select / })
        .first()
        .press("Space");
    }),
    createScene("post-file", owner, openSamplePost, (page) => clickButton(page, /poster\.jpg/)),
    createScene("post-library", owner, openSamplePost, (page) => clickButton(page, "Add from library")),
    createScene("post-link", scratchStudioOwner, openScratchPost, async (page) => {
      await clickButton(page, "More ways to add files");
      await page.getByRole("menuitem", { name: "Request files with a link" }).click();
      await page.getByText("Share this upload link").waitFor();
    }),
    createScene("post-withdraw", owner, openSamplePost, (page) => clickButton(page, /^Withdraw/)),
    createScene("post-archive-toast", scratchStudioOwner, openScratchPost, async (page) => {
      await clickButton(page, "Actions for this post");
      await page.getByRole("menuitem", { name: "Archive" }).click();
      await page.getByText("Archived.", { exact: true }).waitFor();
    }),
    createScene("post-upload", scratchStudioOwner, openScratchPost, async (page) => {
      await throttleUploads(page, 300_000);
      await page
        .locator("input[type=file]")
        .first()
        .setInputFiles({ name: "making-of.mp4", mimeType: "video/mp4", buffer: Buffer.alloc(9_000_000) });
      await page.locator('[data-upload-status="sending"]').waitFor();
      await sleep(2500);
    }),
    createScene("post-conflict", scratchStudioOwner, async (page) => {
      const id = await openScratchPost(page);
      await page.getByLabel("Text", { exact: true }).fill(samplePostBody.replace("first of March", "second of March"));
      await updatePost(deps, scratchStudioOwner, {
        postId: id,
        body: samplePostBody.replace("first of March", "last of February"),
      });
      await page.getByRole("heading", { name: /two places/ }).waitFor();
    }),
    createScene("asset-dialog", owner, openStudioPage(owner, "assets?usage=unused"), (page) =>
      clickButton(page, /paper\.jpg/),
    ),
    createScene("assets-list", owner, openStudioPage(owner, "assets?view=list")),
    createScene("assets-no-match", owner, openStudioPage(owner, "assets?q=lighthouse&kind=image")),
    createScene("assets-selected", owner, openStudioPage(owner, "assets"), (page) => page.keyboard.press("Control+a")),
    createScene("assets-tags", owner, openStudioPage(owner, "assets"), async (page) => {
      await page.keyboard.press("Control+a");
      await clickButton(page, "Tags");
    }),
    createScene("asset-add-to-post", owner, openStudioPage(owner, "assets?usage=used"), async (page) => {
      await clickButton(page, /door\.jpg/);
      await clickButton(page, "Copy to another post…");
      await page.getByRole("radio", { name: /glaze/ }).waitFor();
    }),
    createScene("invite", owner, openStudioPage(owner, "members"), (page) => clickButton(page, "Invite someone")),
    createScene("invite-link", scratchStudioOwner, openStudioPage(scratchStudioOwner, "members"), async (page) => {
      await clickButton(page, "Invite someone");
      await clickButton(page, "Create link");
      await page.getByText("Share this link").waitFor();
    }),
    createScene("revoke", owner, openStudioPage(owner, "clients"), (page) => clickButton(page, "Revoke Claude")),
    createScene("activity-filtered", owner, openStudioPage(owner, "activity?action=post.updated")),
    createScene("settings-delete", owner, openStudioPage(owner, "settings"), (page) =>
      clickButton(page, "Delete studio…"),
    ),
    createScene("activity-member", member, openStudioPage(member, "activity")),
    createScene("activity-expanded", owner, openStudioPage(owner, "activity"), (page) =>
      page.locator("details").first().locator("summary").click(),
    ),
    createScene("clients-setup", owner, openStudioPage(owner, "connect"), (page) =>
      page.getByRole("tab", { name: "Cursor" }).click(),
    ),
    createScene("clients-setup-other", owner, openStudioPage(owner, "connect"), (page) =>
      page.getByRole("tab", { name: "Other" }).click(),
    ),
    createScene(
      "clients-connected",
      scratchStudioOwner,
      openStudioPage(scratchStudioOwner, "clients"),
      async (page) => {
        const list = page.getByRole("list", { name: "Connected clients" });
        await page.getByText("Waiting for a client").or(list).first().waitFor();
        await createGrant(deps, scratchStudioOwner, {
          clientId: "vscode",
          clientName: "Visual Studio Code",
          clientVerified: false,
          redirectHost: "localhost",
          scopes: ["studio:read", "studio:write"],
        });
        await page.getByRole("button", { name: "Copy Try this prompt" }).waitFor();
      },
    ),
    createScene("not-found", owner, openPath("/nowhere")),
    createScene("post-not-found", owner, openStudioPage(owner, "posts/pst_nothing")),
    createScene("error-api-down", owner, async (page) => {
      await page.route("**/api/**", (route) => route.abort());
      await page.goto(`${base}/studios/${owner.studio.id}/posts`);
      await page.getByRole("heading").first().waitFor();
    }),
    createScene("error-list-down", owner, async (page) => {
      await page.route("**/api/studios/*/post-summaries*", (route) => route.fulfill({ status: 503, body: "" }));
      await page.goto(`${base}/studios/${owner.studio.id}/posts`);
      await page.getByRole("alert").waitFor({ timeout: 30_000 });
    }),
    createScene("offline", owner, openStudioPage(owner, "posts"), (page) => page.context().setOffline(true)),
  ];
}

/** Waits half a second after the heading appears: open pages poll, so the network never becomes idle. */
export async function openAndSettle(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole("heading").first().waitFor();
  await sleep(500);
}

/** Registers a client and returns the URL that it opens for its user. */
async function createAuthorizeUrl(base: string): Promise<string> {
  const metadataResponse = await fetch(`${base}/.well-known/oauth-authorization-server`);
  const server = (await metadataResponse.json()) as Record<"registration_endpoint" | "authorization_endpoint", string>;
  const redirect = "http://127.0.0.1:6274/callback";
  const registrationResponse = await fetch(server.registration_endpoint, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "Claude Code",
      redirect_uris: [redirect],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
    }),
  });
  const { client_id } = (await registrationResponse.json()) as { client_id: string };
  const query = new URLSearchParams({
    client_id,
    response_type: "code",
    redirect_uri: redirect,
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
    resource: `${base}/mcp`,
    scope: "studio:read studio:write studio:publish",
    state: "screenshot",
  });
  return `${server.authorization_endpoint}?${query.toString()}`;
}
