import assert from "node:assert/strict";
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
