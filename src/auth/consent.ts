import type { IncomingMessage, ServerResponse } from "node:http";
import { errors, type Provider } from "oidc-provider";
import { createGrant } from "#domain/access/clients.ts";
import { scopes as allScopes, type Scope, type SignedInUser } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { sha256 } from "#lib/digest.ts";
import { type AppError, edgeError } from "#lib/errors.ts";
import { isLoopbackName } from "#lib/ip-address.ts";
import type { StartedConsents } from "./oauth-server.ts";
import { explainFetchFailure } from "./client-documents.ts";
import { listResourceAliases } from "./oauth-paths.ts";

/** Where the authorization response goes, in terms that a user can recognize. */
export interface Destination {
  kind: "web" | "this-computer" | "app";
  /** The host, or for a private-use scheme the scheme itself. */
  host: string;
  /** The source expression for the Content-Security-Policy of the consent page. */
  cspSource: string;
}

/** An authorization that waits for the user's decision. */
export interface PendingConsent {
  uid: string;
  client: {
    id: string;
    name: string;
    /** The host of the client metadata document, for clients that have one. */
    verifiedHost: string | undefined;
  };
  destination: Destination;
  requestedScopes: readonly Scope[];
}

export interface Consent {
  /** Throws if another browser started the consent, or if it is completed or expired. */
  getPending(req: IncomingMessage, res: ServerResponse): Promise<PendingConsent>;
  /** Completes the consent, at most once, and redirects to the client. */
  grant(req: IncomingMessage, res: ServerResponse, signedInUser: SignedInUser, scopes: readonly Scope[]): Promise<void>;
  deny(req: IncomingMessage, res: ServerResponse): Promise<void>;
}

type ConsentDeps = Pick<Deps, "users" | "oauthRecords" | "transact" | "newId" | "clock" | "baseUrl">;

export function createConsent(provider: Provider, startedConsents: StartedConsents, deps: ConsentDeps): Consent {
  // The library binds the interaction to the browser with a signed cookie, and we add one that other hosts cannot set.
  // Otherwise an attacker could make a user consent to an authorization whose code goes to the attacker.
  const getInteraction = async (req: IncomingMessage, res: ServerResponse) => {
    const interaction = await provider.interactionDetails(req, res).catch((error: unknown) => {
      throw error instanceof errors.SessionNotFound ? consentNotFoundError(error) : error;
    });
    if (!startedConsents.has(req, interaction.uid)) throw consentNotFoundError();
    return interaction;
  };

  const getPending: Consent["getPending"] = async (req, res) => {
    const { uid, params } = await getInteraction(req, res);
    const client = await provider.Client.find(String(params["client_id"])).catch((error: unknown) =>
      throwClientUnavailable(params["client_id"], error),
    );
    if (!client) throw consentNotFoundError();
    const destination = describeDestination(String(params["redirect_uri"]));
    const isVerified = (client as unknown as { clientIdMetadataDocument?: boolean }).clientIdMetadataDocument === true;
    const scopeNames = typeof params["scope"] === "string" ? params["scope"].split(" ") : [];
    const requestedScopes = allScopes.filter((scope) => scopeNames.includes(scope));
    return {
      uid,
      client: {
        id: client.clientId,
        name: toDisplayName(client.clientName) || destination.host,
        verifiedHost: isVerified ? new URL(client.clientId).host : undefined,
      },
      destination,
      requestedScopes: requestedScopes.length > 0 ? requestedScopes : ["studio:read"],
    };
  };

  const consumeInteraction = async (uid: string): Promise<void> => {
    if (!(await deps.oauthRecords.consume("Interaction", sha256(uid), deps.clock()))) throw consentNotFoundError();
  };

  return {
    getPending,
    async grant(req, res, signedInUser, scopes) {
      const pendingConsent = await getPending(req, res);
      const chosenScopes = pendingConsent.requestedScopes.filter((scope) => scopes.includes(scope));
      const grantedScopes = chosenScopes.includes("studio:write")
        ? chosenScopes
        : chosenScopes.filter((scope) => scope !== "studio:publish");
      if (grantedScopes.length === 0) throw edgeError("invalid_input", "Choose what the application may do.");
      await consumeInteraction(pendingConsent.uid);
      const { id } = await createGrant(deps, signedInUser, {
        clientId: pendingConsent.client.id,
        clientName: pendingConsent.client.name,
        clientVerified: pendingConsent.client.verifiedHost !== undefined,
        redirectHost: pendingConsent.destination.host,
        scopes: grantedScopes,
      });
      const grant = new provider.Grant({ accountId: signedInUser.user.id, clientId: pendingConsent.client.id });
      grant.jti = id;
      grant.addOIDCScope("openid offline_access");
      for (const resource of listResourceAliases(deps.baseUrl))
        grant.addResourceScope(resource, grantedScopes.join(" "));
      await grant.save();
      startedConsents.clear(res, pendingConsent.uid);
      const result = { login: { accountId: signedInUser.user.id, remember: false }, consent: { grantId: id } };
      await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
    },
    async deny(req, res) {
      const { uid } = await getInteraction(req, res);
      await consumeInteraction(uid);
      startedConsents.clear(res, uid);
      const result = { error: "access_denied", error_description: "The user denied access" };
      await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
    },
  };
}

function consentNotFoundError(cause?: unknown): AppError {
  return edgeError(
    "not_found",
    "This request was already completed, has expired, or was started in another browser.",
    "Go back to the application and connect again.",
    { cause },
  );
}

/** Handles a client metadata document that changed after the consent started, or that the server can't fetch. */
function throwClientUnavailable(clientId: unknown, error: unknown): never {
  if (!(error instanceof errors.OIDCProviderError)) throw error;
  const { message, hint } = explainFetchFailure(clientId, error) ?? {
    message: "The application can no longer be identified.",
    hint: "Go back to the application and connect again.",
  };
  throw edgeError("url_unreachable", message, hint, { cause: error });
}

function describeDestination(redirectUri: string): Destination {
  const url = new URL(redirectUri);
  if (url.protocol === "https:") return { kind: "web", host: url.host, cspSource: url.origin };
  if (url.protocol === "http:" && isLoopbackName(url.hostname)) {
    // A Content-Security-Policy source cannot be an IPv6 address.
    return { kind: "this-computer", host: url.host, cspSource: url.hostname.startsWith("[") ? "http:" : url.origin };
  }
  return { kind: "app", host: `${url.protocol}//`, cspSource: url.protocol };
}

const graphemeSegmenter = new Intl.Segmenter("en");

/** The client chooses its name, so shorten it, keep it on one line and remove characters that reverse text or are blank. */
export function toDisplayName(name: string | undefined): string {
  const cleanName = (name ?? "")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  const characters = Array.from(graphemeSegmenter.segment(cleanName.slice(0, 1000)), ({ segment }) => segment);
  return characters.length > 60 ? `${characters.slice(0, 60).join("")}…` : cleanName;
}
