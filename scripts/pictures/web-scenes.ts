import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { createPost } from "#domain/posts/create-post.ts";
import { updatePost } from "#domain/posts/update-post.ts";
import type { SignedIn } from "#domain/caller.ts";
import { approveClient } from "#domain/access/approve-client.ts";
import { invite, newPerson, newStudio } from "../../test/support/people.ts";
import type { WebBed } from "../../test/support/web-bed.ts";
import { slowDown } from "../../test/support/upload-bed.ts";
import { letter, type FilledStudio } from "./studio.ts";

/** One state of one page, and how to get there. */
export interface Scene {
  name: string;
  person?: SignedIn;
  /** It changes what others would see meanwhile. */
  alone?: boolean;
  /** Takes the page to the state that is to be seen. */
  go: (page: Page) => Promise<void>;
}

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first().click();

export async function webScenes({ service }: WebBed, filled: FilledStudio): Promise<Scene[]> {
  const { base, deps } = service;
  const { owner, member, postId, archivedId } = filled;
  const nobody = await newPerson(deps, { name: "Noor Haddad" });
  const fresh = await newStudio(deps, await newPerson(deps, { name: "Noor Haddad" }), "North Light");
  const open = (path: string) => (page: Page) => settle(page, `${base}${path}`);
  const at = (studio: { studio: { id: string } }, path: string) => open(`/studios/${studio.studio.id}/${path}`);
  const scene = (
    name: string,
    person: SignedIn | undefined,
    where: (page: Page) => Promise<unknown>,
    then: (page: Page) => Promise<unknown> = async () => {},
  ): Scene => ({
    name,
    ...(person ? { person } : {}),
    go: async (page) => {
      await where(page);
      await then(page);
    },
  });
  const post = at(owner, `posts/${postId}`);
  // Scenes that change something have a studio and a post of their own, so that nothing of them shows in others.
  const spare = await newStudio(deps, await newPerson(deps, { name: "Mira Okafor" }), "Blue Door Studio");
  const sparePost = async (page: Page): Promise<string> => {
    const made = await createPost(deps, spare, { title: "Spring catalogue: the cover", body: letter });
    await at(spare, `posts/${made.id}`)(page);
    return made.id;
  };

  return [
    scene("start-signed-out", undefined, open("/")),
    scene("login", undefined, open("/login")),
    scene("dev-issuer", undefined, open("/login"), async (page) => {
      await button(page, /^Continue with/);
      await page.getByLabel("Email address").fill("mira.okafor@bluedoor.example");
    }),
    scene("dev-issuer-fault", undefined, open("/login"), async (page) => {
      await button(page, /^Continue with/);
      await page.getByLabel("Email address").fill("mira");
      await page.locator("form").first().evaluate("(form) => (form.noValidate = true)");
      await button(page, "Sign in");
    }),
    scene("consent", owner, async (page) => page.goto(await authorizeAddress(base))),
    scene("join", nobody, async (page) => page.goto(`${base}/join/${await invite(deps, spare, "member")}`)),
    scene("join-ended", nobody, open("/join/nothing")),
    scene("first-studio", nobody, open("/")),
    scene("new-studio", owner, open("/studios/new")),
    ...["posts", "assets", "platforms", "clients", "members", "activity", "connect"].map((page) =>
      scene(`${page}-empty`, fresh, at(fresh, page)),
    ),
    ...["posts", "posts?status=ready", "posts?q=lighthouse", "posts/new", "assets", "assets?unattached=true"].map(
      (page) => scene(page.replace(/\W+/g, "-"), owner, at(owner, page)),
    ),
    ...["members", "platforms", "clients", "activity", "settings"].map((page) => scene(page, owner, at(owner, page))),
    scene("clients-member", member, at(member, "clients")),
    scene("platforms-member", member, at(member, "platforms")),
    scene("members-member", member, at(member, "members")),
    scene("switcher", owner, at(owner, "posts"), async (page) => {
      await page
        .getByRole("button", { name: /Switch studio/ })
        .locator("visible=true")
        .click();
    }),
    scene("menu", owner, at(owner, "posts"), async (page) => {
      const menu = page.getByRole("button", { name: "Menu" });
      if (await menu.isVisible()) await menu.click();
    }),
    scene("post", owner, post, (page) => page.locator(".drop").waitFor()),
    scene("post-preview", owner, post, (page) => button(page, "Preview")),
    scene("post-archived", owner, at(owner, `posts/${archivedId}`)),
    scene("post-file", owner, post, (page) => button(page, /poster\.jpg/)),
    scene("post-library", owner, post, (page) => button(page, "Add from library")),
    scene("post-link", spare, sparePost, (page) => button(page, "Make an upload link")),
    scene("post-withdraw", owner, post, (page) => button(page, /^Withdraw/)),
    scene("post-archive-toast", spare, sparePost, async (page) => {
      await button(page, "Archive");
      await page.getByText("Archived.", { exact: true }).waitFor();
    }),
    scene("post-upload", spare, sparePost, async (page) => {
      await page.locator(".drop").waitFor();
      await slowDown(page, 300_000);
      await page
        .locator(".uploader input[type=file]")
        .first()
        .setInputFiles({ name: "making-of.mp4", mimeType: "video/mp4", buffer: Buffer.alloc(9_000_000) });
      await page.locator('[data-status="sending"]').waitFor();
      await sleep(2500);
    }),
    scene("post-conflict", spare, async (page) => {
      const id = await sparePost(page);
      await page.getByLabel("Text", { exact: true }).fill(letter.replace("first of March", "second of March"));
      await updatePost(deps, spare, { postId: id, body: letter.replace("first of March", "last of February") });
      await page.getByRole("heading", { name: /two places/ }).waitFor();
    }),
    scene("asset-delete", owner, at(owner, "assets?unattached=true"), async (page) => {
      await button(page, /paper\.jpg/);
      await button(page, "Delete…");
    }),
    scene("invite", owner, at(owner, "members"), (page) => button(page, "Invite someone")),
    scene("invite-link", spare, at(spare, "members"), async (page) => {
      await button(page, "Invite someone");
      await button(page, "Create link");
      await page.getByText("Send them this link").waitFor();
    }),
    scene("revoke", owner, at(owner, "clients"), (page) => button(page, "Revoke Claude")),
    scene("activity-filtered", owner, at(owner, "activity?action=post.updated")),
    scene("settings-delete", owner, at(owner, "settings"), (page) => button(page, "Delete studio…")),
    scene("connect", owner, at(owner, "connect"), (page) => page.getByRole("tab", { name: "Cursor" }).click()),
    scene("connect-connected", spare, at(spare, "connect"), async (page) => {
      await approveClient(deps, spare, {
        clientId: "vscode",
        clientName: "Visual Studio Code",
        clientVerified: false,
        redirectHost: "localhost",
        scopes: ["studio:read", "studio:write"],
      });
      await page.getByText("is connected").first().waitFor();
    }),
    scene("not-found", owner, open("/nowhere")),
    scene("post-not-found", owner, at(owner, "posts/pst_nothing")),
    scene("error-api-down", owner, async (page) => {
      await page.route("**/api/**", (route) => route.abort());
      await page.goto(`${base}/studios/${owner.studio.id}/posts`);
      await page.getByRole("heading").first().waitFor();
    }),
    scene("error-list-down", owner, async (page) => {
      await page.route("**/api/studios/*/posts*", (route) => route.fulfill({ status: 503, body: "" }));
      await page.goto(`${base}/studios/${owner.studio.id}/posts`);
      await page.locator(".failure").waitFor({ timeout: 30_000 });
    }),
    scene("offline", owner, at(owner, "posts"), (page) => page.context().setOffline(true)),
  ];
}

/** Open pages ask again and again, so there is never silence: what is there half a second after the heading is looked at. */
async function settle(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole("heading").first().waitFor();
  await sleep(500);
}

/** Where a client that registered itself sends its person. */
async function authorizeAddress(base: string): Promise<string> {
  const found = await fetch(`${base}/.well-known/oauth-authorization-server`);
  const server = (await found.json()) as Record<"registration_endpoint" | "authorization_endpoint", string>;
  const redirect = "http://127.0.0.1:6274/callback";
  const registered = await fetch(server.registration_endpoint, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "Claude Code",
      redirect_uris: [redirect],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
    }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const query = new URLSearchParams({
    client_id,
    response_type: "code",
    redirect_uri: redirect,
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
    resource: `${base}/mcp`,
    scope: "studio:read studio:write",
    state: "picture",
  });
  return `${server.authorization_endpoint}?${query.toString()}`;
}
