import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { cancelPublication } from "#domain/publishing/change-publication.ts";
import type { SandboxPostView } from "./publishing-fixture.ts";

/** Connects an account of the sandbox platform, as a user who is signed in on the page. Returns the connection's id. */
export async function connectSandboxAccount(
  deps: Deps,
  page: Page,
  studioUrl: string,
  account: string,
): Promise<string> {
  await page.goto(`${studioUrl}/platforms`);
  const connectButton = page.getByRole("button", { name: "Connect Sandbox" });
  await connectButton.or(page.getByRole("button", { name: /another/ })).click();
  await page.getByRole("button", { name: "Continue to Sandbox" }).click();
  await page.getByLabel("Account").fill(account);
  await page.getByRole("button", { name: "Allow Atelier to post" }).click();
  await page.getByRole("heading", { name: "Sandbox is connected" }).waitFor();
  const connections = await deps.platformStore.list(studioUrl.split("/").at(-1) ?? "");
  const connection = connections.find((candidate) => candidate.account.handle === account);
  assert.ok(connection);
  return connection.id;
}

/** The texts of all posts that are public on the sandbox platform. */
export async function listSandboxTexts(base: string): Promise<string[]> {
  const response = await fetch(`${base}/sandbox/posts`);
  const { posts } = (await response.json()) as { posts: SandboxPostView[] };
  return posts.map(({ text }) => text);
}

/** Cancels the publications of the studio that have not started. */
export async function cancelPublications(deps: Deps, owner: Caller): Promise<void> {
  for (const state of ["proposed", "scheduled"] as const)
    for (const { id } of await deps.publications.list(owner.studio.id, { state, limit: 100 }))
      await cancelPublication(deps, owner, { publicationId: id });
}
