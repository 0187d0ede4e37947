import type { IncomingMessage } from "node:http";
import { isForwarded, isLocalPeer } from "#http/guards.ts";
import { createPageHandler, type PageHandlers } from "#http/pages/page-handler.ts";
import type { Handler, Route } from "#http/server.ts";
import { edgeError, type AppError } from "#lib/errors.ts";

export interface ProviderRoutesOptions {
  base: string;
  /** Path of the provider, such as `/dev-idp`. */
  path: string;
  /** Name in the error message for remote peers. */
  name: string;
  /** What to do if other machines or a proxy need it, in the imperative. */
  alternative: string;
  /** Pages below `path`, by pattern. */
  pages: Readonly<Record<string, PageHandlers>>;
  /** Handles the protocol endpoints below `path`. */
  handle: Handler;
}

/** Routes of an in-process provider. It trusts every caller, so only loopback peers may reach it. */
export function createProviderRoutes(options: ProviderRoutesOptions): Route[] {
  const { base, path, pages, handle } = options;
  const localOnly =
    (next: Handler): Handler =>
    (req, res, context) => {
      if (!isLocalPeer(req)) throw createRemotePeerError(req, options);
      return next(req, res, context);
    };
  const localOnlyPage = (handlers: PageHandlers): PageHandlers =>
    Object.fromEntries(Object.entries(handlers).map(([method, handler]) => [method, localOnly(handler)]));
  return [
    ...Object.entries(pages).map(([pattern, handlers]): Route => ({
      path: `${path}${pattern}`,
      originRule: "own",
      handle: createPageHandler(base, localOnlyPage(handlers)),
    })),
    { path: `${path}/*`, originRule: "own", handle: localOnly(handle) },
  ];
}

function createRemotePeerError(req: IncomingMessage, { base, name, alternative }: ProviderRoutesOptions): AppError {
  if (!isForwarded(req)) return edgeError("forbidden", `${name} is available on this machine only.`, `${alternative}.`);
  // If the proxy passes on the host of `{base}`, then `{base}` is the URL of the proxy, not of the server.
  const hint =
    req.headers.host === new URL(base).host
      ? `BASE_URL (${base}) leads to a proxy. Set BASE_URL to the URL at which the server itself listens. Otherwise, ${toLowerStart(alternative)}.`
      : `Open ${base} directly. If that is not the URL at which the server itself listens, change BASE_URL. Otherwise, ${toLowerStart(alternative)}.`;
  return edgeError("forbidden", `${name} does not work behind a proxy.`, hint);
}

const toLowerStart = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
