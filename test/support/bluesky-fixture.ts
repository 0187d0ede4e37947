import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { createPlatformSetups, platformFetchLimits } from "#connectors/catalog.ts";
import type { PlatformSetup } from "#connectors/connectors.ts";
import type { PrivateJwk } from "#lib/signing-keys.ts";
import { createPublicFetch } from "#lib/public-fetch.ts";
import { expectFailure } from "./chromium.ts";
import { routeHandles, type Pds, type PdsAccount } from "./pds.ts";
import type { PublishingFixture } from "./publishing-fixture.ts";

/** Creates the platform setups of a service that can reach the PDS on this machine. Its DNS lookups find nothing. */
export function createBlueskySetups(
  pds: Pds,
  { otherHosts = [], clientKeys = [] }: { otherHosts?: readonly string[]; clientKeys?: readonly PrivateJwk[] } = {},
): PlatformSetup[] {
  const privateHosts = new Set([new URL(pds.url).host, new URL(pds.plc.url).host, ...otherHosts]);
  const publicFetch = routeHandles(pds, createPublicFetch({ ...platformFetchLimits, privateHosts }));
  return createPlatformSetups({}, publicFetch, { plcUrl: pds.plc.url, clientKeys, resolveTxt: async () => [] });
}

/** Connects an account as its user would, in a real browser. Returns the connection's id. */
export async function connectBluesky(
  { api, browser, owner, service }: Pick<PublishingFixture, "api" | "browser" | "owner" | "service">,
  chromium: Browser,
  { url: instanceUrl }: Pick<Pds, "url">,
  account: PdsAccount,
): Promise<string> {
  const { status, body } = await api("POST", "/platforms/connect", { platform: "bluesky", instanceUrl });
  assert.equal(status, 201, JSON.stringify(body));
  const context = await chromium.newContext({ locale: "en-US" });
  expectFailure(context, 404, "/icon.svg"); // the service of these tests has no web app
  try {
    await context.addCookies(browser.cookies.all().map(({ name, value }) => ({ name, value, url: service.base })));
    const page = await context.newPage();
    await page.goto(String(body["connectUrl"]));
    await page.getByRole("button", { name: "Continue to Bluesky" }).click();
    await grantAccess(page, account);
    await page.getByRole("heading", { name: "Bluesky is connected" }).waitFor();
  } finally {
    await context.close();
  }
  const connections = await service.deps.platformStore.list(owner.studio.id);
  const connection = connections.find(
    (candidate) => candidate.account.id === account.did && candidate.state === "connected",
  );
  assert.ok(connection);
  return connection.id;
}

/** Signs in at the PDS and consents. */
export async function grantAccess(page: Page, { handle, password }: PdsAccount): Promise<void> {
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("textbox", { name: "Username or Email" }).fill(handle);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Authorize" }).click();
}
