import { Resolver } from "node:dns/promises";
import { PlatformError } from "#domain/model/platform-error.ts";
import { seconds } from "#lib/clock.ts";
import type { PublicFetch } from "#lib/public-fetch.ts";
import { isHandle } from "#portable/handle.ts";
import { toObjectList, toText } from "../call-api.ts";
import type { JsonObject } from "../platform.ts";
import { fetchDocument, findIssuer, toOrigin } from "./discovery.ts";

/** Where identities are looked up. */
export interface IdentitySources {
  publicFetch: PublicFetch;
  /** The directory of `did:plc` identities. */
  plcUrl: string;
  /** Returns the TXT records of a name. */
  resolveTxt?: (name: string) => Promise<string[][]>;
}

export interface Identity {
  did: string;
  /** The origin of the account's server. */
  serverUrl: string;
  /** Null if the name that the identity claims does not point back to it. */
  handle: string | null;
}

const plcPattern = /^did:plc:[a-z2-7]{24}$/;
const webPattern = /^did:web:([a-z0-9-]+(?:\.[a-z0-9-]+)+)$/;

/** A domain that does not respond must not keep an account from being connected. */
const handleTimeoutMs = seconds(3);

/**
 * Finds an account's server, and checks that it trusts this issuer. Without the check, any authorization server could
 * issue tokens for any account.
 */
export async function resolveServer(
  sources: IdentitySources,
  did: string,
  issuer: string,
): Promise<{ serverUrl: string; document: JsonObject }> {
  const document = await fetchDocument(sources.publicFetch, buildDocumentUrl(sources, did));
  const serverUrl = document && findServer(document);
  if (document?.["id"] !== did || serverUrl === undefined)
    throw new PlatformError("unavailable", "the account’s identity couldn’t be resolved");
  const currentIssuer = await findIssuer(sources.publicFetch, serverUrl);
  if (currentIssuer === undefined) throw new PlatformError("unavailable", "the account’s server didn’t respond");
  if (currentIssuer !== issuer) throw new PlatformError("rejected", "the account has moved to another server");
  return { serverUrl, document };
}

/** Finds an account's server and its handle. */
export async function resolveIdentity(sources: IdentitySources, did: string, issuer: string): Promise<Identity> {
  const { serverUrl, document } = await resolveServer(sources, did, issuer);
  return { did, serverUrl, handle: await findHandle(sources, did, document) };
}

function buildDocumentUrl({ plcUrl }: IdentitySources, did: string): string {
  if (plcPattern.test(did)) return `${plcUrl}/${did}`;
  const host = webPattern.exec(did)?.[1];
  if (host === undefined) throw new PlatformError("unavailable", "it sent an invalid response");
  return `https://${host}/.well-known/did.json`;
}

function findServer(document: JsonObject): string | undefined {
  const service = toObjectList(document["service"]).find(
    ({ id, type }) => /^(did:[^#]*)?#atproto_pds$/.test(toText(id) ?? "") && type === "AtprotoPersonalDataServer",
  );
  return toOrigin(service?.["serviceEndpoint"]);
}

/** The first name that the identity claims, if the owner of the domain confirms it: in the DNS, or on its web server. */
async function findHandle(sources: IdentitySources, did: string, document: JsonObject): Promise<string | null> {
  const names = Array.isArray(document["alsoKnownAs"]) ? document["alsoKnownAs"].map(toText) : [];
  const handle = names
    .find((name) => name?.startsWith("at://"))
    ?.slice("at://".length)
    .toLowerCase();
  if (handle === undefined || !isHandle(handle)) return null;
  const [dnsDid, webDid] = await Promise.all([
    findInDns(sources, handle).catch(() => undefined),
    findOnWebServer(sources, handle).catch(() => undefined),
  ]);
  return (dnsDid ?? webDid) === did ? handle : null;
}

async function findInDns(
  { resolveTxt = resolvePublicTxt }: IdentitySources,
  handle: string,
): Promise<string | undefined> {
  const records = await resolveTxt(`_atproto.${handle}`);
  const dids = records.map((parts) => parts.join("")).filter((text) => text.startsWith("did="));
  return dids.length === 1 ? dids[0]?.slice("did=".length) : undefined;
}

async function findOnWebServer({ publicFetch }: IdentitySources, handle: string): Promise<string | undefined> {
  const response = await publicFetch(`https://${handle}/.well-known/atproto-did`, {
    headers: { accept: "text/plain" },
    timeoutMs: handleTimeoutMs,
  });
  return response.ok ? (await response.text()).trim() : undefined;
}

const resolvePublicTxt = (name: string): Promise<string[][]> =>
  new Resolver({ timeout: handleTimeoutMs, tries: 1 }).resolveTxt(name);
