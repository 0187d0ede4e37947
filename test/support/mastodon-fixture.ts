import assert from "node:assert/strict";
import { createRestAPIClient, type mastodon } from "masto";
import { createPlatformSetups, platformFetchLimits } from "#connectors/catalog.ts";
import type { PlatformSetup } from "#connectors/connectors.ts";
import { unsealCredential } from "#domain/steps/credentials.ts";
import { createPublicFetch } from "#lib/public-fetch.ts";
import { noIdentities } from "./platform-fixture.ts";
import type { PublishingFixture } from "./publishing-fixture.ts";
import type { Snac } from "./snac.ts";

/** Connects the account of a snac server as its user would in a browser. Returns the connection's id. */
export async function connectMastodon(
  { api, browser, owner, service }: Pick<PublishingFixture, "api" | "browser" | "owner" | "service">,
  { instanceUrl, user }: Pick<Snac, "instanceUrl" | "user">,
): Promise<string> {
  const { status, body } = await api("POST", "/platforms/connect", { platform: "mastodon", instanceUrl });
  assert.equal(status, 201, JSON.stringify(body));
  const connectPage = await browser.open(String(body["connectUrl"]));
  // The policy must name the instance, or a browser would not follow the redirect to it.
  assert.ok(connectPage.headers.get("content-security-policy")?.includes(instanceUrl));
  const signInPage = await browser.submit(connectPage);
  const resultPage = await browser.submit(signInPage, { login: user.name, passwd: user.password });
  assert.match(resultPage.text, /Mastodon is connected/);
  const connections = await service.deps.platformStore.list(owner.studio.id);
  const connection = connections.find(({ instance, state }) => instance === instanceUrl && state === "connected");
  assert.ok(connection);
  return connection.id;
}

/** Creates the platform setups of a service that can reach the snac server on this machine. */
export function createMastodonSetups({ instanceUrl }: Pick<Snac, "instanceUrl">): PlatformSetup[] {
  const privateHosts = new Set([new URL(instanceUrl).host]);
  return createPlatformSetups({}, createPublicFetch({ ...platformFetchLimits, privateHosts }), noIdentities);
}

/** An independent client that reads the account of a connection. */
export async function createMastodonReader(
  { owner, service: { deps } }: Pick<PublishingFixture, "owner" | "service">,
  { instanceUrl }: Pick<Snac, "instanceUrl">,
  connectionId: string,
): Promise<mastodon.rest.Client> {
  const connection = await deps.platformStore.find(owner.studio.id, connectionId);
  assert.ok(connection?.credential);
  const { accessToken } = unsealCredential(deps, connection, connection.credential).tokens;
  return createRestAPIClient({ url: instanceUrl, accessToken });
}
