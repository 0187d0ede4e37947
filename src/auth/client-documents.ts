import type { IncomingMessage } from "node:http";
import type { Configuration, errors, KoaContextWithOIDC } from "oidc-provider";
import { PublicFetchError } from "#lib/public-fetch.ts";

/** How to fetch client metadata documents. Undefined in options if the operator has set `CLIENT_DOCUMENTS=off`. */
export interface ClientDocuments {
  /** Fetches a document from its client's host: public IP addresses only, limited in time and size. */
  fetch: (url: string) => Promise<Response>;
  /** Throws if the IP address of the request has caused too many fetches. */
  limitFetch: (req: IncomingMessage) => Promise<void>;
}

/** The text that the error page shows instead of the library's message. */
interface Explanation {
  message: string;
  hint: string;
}

interface LibrarySettings {
  fetch: ClientDocuments["fetch"];
  feature: NonNullable<Configuration["features"]>["clientIdMetadataDocument"];
}

/** Returns the library's settings. If documents are off, the server neither advertises nor fetches them. */
export function buildDocumentSettings(documents: ClientDocuments | undefined): LibrarySettings {
  if (!documents) return { fetch: () => Promise.reject(new Error("fetching is off")), feature: { enabled: false } };
  return {
    fetch: documents.fetch,
    feature: { enabled: true, ack: "draft-02", allowFetch: allowOneFetch(documents.limitFetch) },
  };
}

/**
 * Allows one fetch per request: after a failure, the library looks up the client again to build its error message.
 * Calls without a request context come from the consent page; the authorization request before it was already counted.
 */
function allowOneFetch(limitFetch: ClientDocuments["limitFetch"]): (ctx?: KoaContextWithOIDC) => Promise<boolean> {
  const countedRequests = new WeakSet<IncomingMessage>();
  return async (ctx) => {
    if (!ctx) return true;
    if (countedRequests.has(ctx.req)) return false;
    countedRequests.add(ctx.req);
    await limitFetch(ctx.req);
    return true;
  };
}

/** The library's description of a failed fetch. */
const fetchFailedDescription = "client_id metadata document fetch failed";

/** Explains a failed fetch to the user and the operator; undefined for any other error. */
export function explainFetchFailure(clientId: unknown, error: errors.OIDCProviderError): Explanation | undefined {
  const host = parseDocumentHost(clientId);
  if (host === undefined || error.error_description !== fetchFailedDescription) return undefined;
  // The same text for a private IP address and a host that does not respond, so that it reveals nothing about our network.
  const failure =
    error.cause instanceof PublicFetchError
      ? `This server couldn’t reach ${host} to read it`
      : `${host} didn’t return it`;
  return {
    message: `The application that sent you here identifies itself with a document at ${host}. ${failure}, so the sign-in can’t continue.`,
    hint: `Nothing was shared with the application. Go back and connect again. If that fails too, ask the operator of this server to allow outgoing HTTPS connections to ${host}, or to set CLIENT_DOCUMENTS=off so that applications register themselves instead.`,
  };
}

/** Explains why a client with a document is unknown while documents are off; undefined for any other client. */
export function explainDocumentsOff(clientId: unknown, error: errors.OIDCProviderError): Explanation | undefined {
  const host = parseDocumentHost(clientId);
  if (host === undefined || error.error !== "invalid_client") return undefined;
  return {
    message: `The application that sent you here identifies itself with a document at ${host}. This server does not read such documents.`,
    hint: "Nothing was shared with the application. Remove Atelier from it and add it again: it then registers itself. If that fails too, tell the operator of this server that the application needs CLIENT_DOCUMENTS=on.",
  };
}

function parseDocumentHost(clientId: unknown): string | undefined {
  const url = typeof clientId === "string" ? URL.parse(clientId) : null;
  return url?.protocol === "https:" ? url.host : undefined;
}
