import type { IncomingMessage, ServerResponse } from "node:http";
import { errors, type Provider } from "oidc-provider";
import { approveClient } from "#domain/access/approve-client.ts";
import { scopes as allScopes, type Scope, type SignedIn } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { sha256 } from "#lib/digest.ts";
import { AppError, edgeError } from "#lib/errors.ts";
import { isLoopbackName } from "#lib/ip-address.ts";
import type { BegunApprovals } from "./begun-approvals.ts";
import { explainFetchFailure } from "./client-documents.ts";
import { resourceSpellings } from "./oauth-paths.ts";

/** Where the answer goes, as a person can judge it. */
export interface Destination {
  kind: "web" | "this-computer" | "app";
  /** The host, or for a private-use scheme the scheme itself. */
  host: string;
  /** As a source expression of a Content-Security-Policy. */
  cspSource: string;
}

/** An authorization that waits for a person's answer. */
export interface PendingApproval {
  uid: string;
  client: { id: string; name: string; verified: boolean; uri: string | undefined };
  destination: Destination;
  asked: readonly Scope[];
}

export interface Consent {
  /** The approval that this browser started; throws where it did not, or where it is over. */
  pending(req: IncomingMessage, res: ServerResponse): Promise<PendingApproval>;
  /** Answers it, once. Sends the redirect that leads back to the client. */
  approve(req: IncomingMessage, res: ServerResponse, person: SignedIn, scopes: readonly Scope[]): Promise<void>;
  cancel(req: IncomingMessage, res: ServerResponse): Promise<void>;
}

type ConsentDeps = Pick<Deps, "users" | "oauthRecords" | "transact" | "newId" | "clock" | "base">;

export function createConsent(provider: Provider, begun: BegunApprovals, deps: ConsentDeps): Consent {
  // The library binds the interaction to the browser that started it with a signed cookie, and we with one that nobody
  // can plant. Otherwise someone could have another person approve what they themselves then collect (the confused
  // deputy).
  const interactionOf = async (req: IncomingMessage, res: ServerResponse) => {
    const interaction = await provider.interactionDetails(req, res).catch((error: unknown) => {
      throw error instanceof errors.SessionNotFound ? approvalGone(error) : error;
    });
    if (!begun.has(req, interaction.uid)) throw approvalGone();
    return interaction;
  };

  const pending: Consent["pending"] = async (req, res) => {
    const { uid, params } = await interactionOf(req, res);
    const client = await provider.Client.find(String(params["client_id"])).catch((error: unknown) =>
      clientGone(params["client_id"], error),
    );
    if (!client) throw approvalGone();
    const destination = describeDestination(String(params["redirect_uri"]));
    const verified = (client as unknown as { clientIdMetadataDocument?: boolean }).clientIdMetadataDocument === true;
    const wanted = typeof params["scope"] === "string" ? params["scope"].split(" ") : [];
    const asked = allScopes.filter((scope) => wanted.includes(scope));
    return {
      uid,
      client: {
        id: client.clientId,
        name: displayName(client.clientName) || destination.host,
        verified,
        uri: verified ? new URL(client.clientId).host : undefined,
      },
      destination,
      asked: asked.length > 0 ? asked : ["studio:read"],
    };
  };

  const useUp = async (uid: string): Promise<void> => {
    if (!(await deps.oauthRecords.consume("Interaction", sha256(uid), deps.clock()))) throw approvalGone();
  };

  return {
    pending,
    async approve(req, res, person, scopes) {
      const approval = await pending(req, res);
      const granted = approval.asked.filter((scope) => scopes.includes(scope));
      if (granted.length === 0) throw edgeError("invalid_input", "Choose what the application may do.");
      await useUp(approval.uid);
      const { id } = await approveClient(deps, person, {
        clientId: approval.client.id,
        clientName: approval.client.name,
        clientVerified: approval.client.verified,
        redirectHost: approval.destination.host,
        scopes: granted,
      });
      const grant = new provider.Grant({ accountId: person.user.id, clientId: approval.client.id });
      grant.jti = id;
      grant.addOIDCScope("openid offline_access");
      for (const resource of resourceSpellings(deps.base)) grant.addResourceScope(resource, granted.join(" "));
      await grant.save();
      begun.forget(res, approval.uid);
      const result = { login: { accountId: person.user.id, remember: false }, consent: { grantId: id } };
      await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
    },
    async cancel(req, res) {
      const { uid } = await interactionOf(req, res);
      await useUp(uid);
      begun.forget(res, uid);
      const result = { error: "access_denied", error_description: "The person did not approve" };
      await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
    },
  };
}

function approvalGone(cause?: unknown): AppError {
  return edgeError(
    "not_found",
    "This approval has been answered, has expired, or was started in another browser.",
    "Go back to your assistant and connect again.",
    { cause },
  );
}

/** The client's own document, which proved who it is, is not what it was when this began, or cannot be read. */
function clientGone(clientId: unknown, error: unknown): never {
  if (!(error instanceof errors.OIDCProviderError)) throw error;
  const { message, hint } = explainFetchFailure(clientId, error) ?? {
    message: "The application that asks cannot be recognised any more.",
    hint: "Go back to your assistant and connect again.",
  };
  throw edgeError("url_unreachable", message, hint, { cause: error });
}

function describeDestination(redirectUri: string): Destination {
  const url = new URL(redirectUri);
  if (url.protocol === "https:") return { kind: "web", host: url.host, cspSource: url.origin };
  if (url.protocol === "http:" && isLoopbackName(url.hostname)) {
    // A policy cannot name an IPv6 address.
    return { kind: "this-computer", host: url.host, cspSource: url.hostname.startsWith("[") ? "http:" : url.origin };
  }
  return { kind: "app", host: `${url.protocol}//`, cspSource: url.protocol };
}

const graphemes = new Intl.Segmenter("en");

/** A name is whatever the client says: short, on one line, without characters that turn the text around. */
function displayName(name: string | undefined): string {
  const plain = (name ?? "")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  const letters = Array.from(graphemes.segment(plain.slice(0, 1000)), ({ segment }) => segment);
  return letters.length > 60 ? `${letters.slice(0, 60).join("")}…` : plain;
}
