import { randomBytes } from "node:crypto";
import { createSessions } from "#auth/sign-in.ts";
import { openDatabase } from "#db/open-database.ts";
import { systemClock } from "#lib/clock.ts";
import { createDeps, silentLog, type DatabaseLocation } from "./engines.ts";
import { callModern, type McpResponse } from "./mcp.ts";
import { newStudio } from "./users.ts";
import { sha256 } from "./stores.ts";
import { createTestGrant } from "./tokens.ts";

/** A user's access to a service: an AI client's token, the cookie of a web session, and an upload link for a post. */
export interface Credentials {
  token: string;
  cookie: string;
  postId: string;
  link: string;
}

/** Creates a studio owner directly in the database of the service at `base`; returns a token and a session cookie. */
export async function createOwner(
  location: DatabaseLocation,
  base: string,
): Promise<Pick<Credentials, "token" | "cookie">> {
  const database = await openDatabase({ ...location, log: silentLog });
  try {
    const deps = { ...createDeps(database, systemClock), baseUrl: base, uploadPage: base };
    const owner = await newStudio(deps);
    const { token } = await createTestGrant(deps, owner);
    const cookie = (await createSessions({ deps, base }).start(owner.user.id, undefined)).split(";", 1)[0] ?? "";
    return { token, cookie };
  } finally {
    await database.close();
  }
}

/** Like `createOwner`, but also calls tools of the running service to create a post and an upload link. */
export async function createCredentials(location: DatabaseLocation, base: string): Promise<Credentials> {
  const { token, cookie } = await createOwner(location, base);
  const { id: postId } = await callToolOk<{ id: string }>(base, token, "create_post", { title: "A post" });
  const { url: link } = await callToolOk<{ url: string }>(base, token, "create_upload_session", { postId });
  return { token, cookie, postId, link };
}

/** Returns the HTTP statuses of a tool call, an API request and an upload link; all are 200 if the credentials work. */
export async function probeAccess(base: string, credentials: Credentials): Promise<number[]> {
  const me = await fetch(`${base}/api/me`, { headers: { cookie: credentials.cookie } });
  const link = await fetch(`${base}/api/uploads/session`, {
    headers: { "upload-token": credentials.link.slice(credentials.link.lastIndexOf("/") + 1) },
  });
  return [(await callTool(base, credentials.token, "whoami")).status, me.status, link.status];
}

export function callTool(base: string, token: string, name: string, args: object = {}): Promise<McpResponse> {
  return callModern({ url: `${base}/mcp`, token }, "tools/call", { name, arguments: args });
}

/** Calls a tool and returns its result; throws if the call fails. */
export async function callToolOk<T>(base: string, token: string, name: string, args: object = {}): Promise<T> {
  const { json, text } = await callTool(base, token, name, args);
  if (json.result?.isError !== undefined && json.result.isError) throw new Error(text);
  if (json.result?.structuredContent === undefined) throw new Error(text);
  return json.result.structuredContent as unknown as T;
}

/** Uploads a text file with random content inline; returns the asset's id and the file's digest. */
export async function uploadInline(base: string, token: string, size = 2000): Promise<{ id: string; sha256: string }> {
  const content = Buffer.from(randomBytes(size / 2).toString("hex"));
  const file = { kind: "document", mimeType: "text/plain", base64: content.toString("base64") };
  const { assetId } = await callToolOk<{ assetId: string }>(base, token, "upload_asset_inline", file);
  return { id: assetId, sha256: sha256(content) };
}

/** Downloads an asset from the service and returns the digest of its content. */
export async function fetchAssetDigest(base: string, token: string, assetId: string): Promise<string> {
  const { url } = await callToolOk<{ url: string }>(base, token, "get_asset", { assetId, includeUrls: true });
  return sha256(Buffer.from(await (await fetch(url)).arrayBuffer()));
}
