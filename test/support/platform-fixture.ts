import assert from "node:assert/strict";
import type { Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { startConnect } from "#domain/platforms/connect-link.ts";
import { sealCredential } from "#domain/steps/credentials.ts";
import { connectPlatform } from "#domain/platforms/connect-platform.ts";
import { finishConnect, maxConnections } from "#domain/platforms/finish-connect.ts";
import { createPlatforms } from "#connectors/connectors.ts";
import type { StrictPlatform } from "./strict-platform.ts";

/** For tests that connect no Bluesky account. */
export const noIdentities = { plcUrl: "https://plc.example", clientKeys: [] } as const;

/** Replaces the platforms of `deps` with those of the strict platform. */
export function withPlatform(
  deps: Deps,
  strict: StrictPlatform,
  options: Parameters<StrictPlatform["createSetups"]>[0] = {},
): Deps {
  return { ...deps, platforms: createPlatforms(deps.baseUrl, strict.createSetups(options)) };
}

const sources = [{ url: "https://s.test/docs", readOn: "2026-11-15" }] as const;

/** A platform for tests that only need its id and name. */
export const fakePlatforms = createPlatforms("http://localhost:3000", [
  {
    platform: {
      id: "somewhere",
      name: "Somewhere",
      endpoints: { authorization: "https://s.test/a", token: "https://s.test/t", api: "https://s.test" },
      scopes: [],
      pkce: true,
      clientAuth: "basic",
      refresh: "none",
      revoke: "none",
      accountCall: { path: "/me" },
      parseAccounts: () => [],
      limits: { text: { max: 10, unit: "utf16" }, allowsMixedKinds: true, sources },
    },
    app: { clientId: "id", clientSecret: "secret" },
    publicFetch: () => Promise.reject(new Error("this test has no network access")),
  },
]);

/** Creates a connection in the state after the OAuth callback, without calling a platform. */
export async function newConnection(
  deps: Deps,
  { studio, user }: Caller,
  account = "studio",
  platform = "somewhere",
): Promise<string> {
  const now = deps.clock();
  const row = {
    ...{ id: deps.newId("platformConnection"), studioId: studio.id, platform, instance: "" },
    account: { id: account, handle: account, name: null, avatarUrl: null, profileUrl: null },
    limits: null,
    connectedAt: now,
  };
  const id = await deps.platformStore.insertOrUpdate(row, maxConnections);
  assert.ok(id);
  const sealed = sealCredential(deps, { id, studioId: studio.id }, { tokens: { accessToken: "a token" } });
  await deps.platformStore.connect(id, sealed, { expiresAt: now + 1000, renewAt: now }, { userId: user.id, at: now });
  return id;
}

/** Creates a connection to a new account of a Mastodon server, without calling it. Its token does not expire. */
export async function newMastodonConnection(deps: Deps, { studio, user }: Caller, instance: string): Promise<string> {
  const connection = { id: deps.newId("platformConnection"), studioId: studio.id };
  const account = { id: connection.id, handle: connection.id, name: null, avatarUrl: null, profileUrl: null };
  const connectedAt = deps.clock();
  await deps.platformStore.insertOrUpdate(
    { ...connection, platform: "mastodon", instance, account, limits: null, connectedAt },
    maxConnections,
  );
  const credential = sealCredential(deps, connection, { tokens: { accessToken: "a token" } });
  const connectedBy = { userId: user.id, at: connectedAt };
  await deps.platformStore.connect(connection.id, credential, { expiresAt: null, renewAt: null }, connectedBy);
  return connection.id;
}

export const extractToken = (connectUrl: string): string => connectUrl.split("/connect/")[1] ?? "";

/** Connects an account through the whole OAuth flow; returns the id of the connection. */
export async function connectAccount(
  deps: Deps,
  strict: StrictPlatform,
  caller: Caller,
  account = "studio",
  platform = "strict",
): Promise<string> {
  const instanceUrl = platform === "mastodon" ? strict.origin : undefined;
  const { connectUrl } = await connectPlatform(deps, caller, { platform, instanceUrl });
  const { location, ...pending } = await startConnect(deps, caller, { token: extractToken(connectUrl) });
  const callback = new URL(strict.authorize(location, account));
  await finishConnect(deps, caller, { callback, pending });
  const connection = (await deps.platformStore.list(caller.studio.id)).find(
    (candidate) => candidate.account.handle === account,
  );
  assert.ok(connection);
  return connection.id;
}
