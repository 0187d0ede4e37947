import { isLocalPeer } from "#http/guards.ts";
import { createPageHandler, type PageHandlers } from "#http/pages/page-handler.ts";
import type { Handler, Route } from "#http/server.ts";
import { edgeError } from "#lib/errors.ts";

export interface ProviderRoutesOptions {
  base: string;
  /** Path of the provider, such as `/dev-idp`. */
  path: string;
  /** Name in the error message for remote peers. */
  name: string;
  /** Pages below `path`, by pattern. */
  pages: Readonly<Record<string, PageHandlers>>;
  /** Handles the protocol endpoints below `path`. */
  handle: Handler;
}

/** Routes of an in-process provider. It trusts every caller, so only loopback peers may reach it. */
export function createProviderRoutes({ base, path, name, pages, handle }: ProviderRoutesOptions): Route[] {
  const localOnly =
    (next: Handler): Handler =>
    (req, res, context) => {
      if (!isLocalPeer(req)) throw edgeError("forbidden", `${name} is available on this machine only.`);
      return next(req, res, context);
    };
  return [
    ...Object.entries(pages).map(([pattern, methods]): Route => ({
      path: `${path}${pattern}`,
      originRule: "own",
      handle: localOnly(createPageHandler(base, methods)),
    })),
    { path: `${path}/*`, originRule: "own", handle: localOnly(handle) },
  ];
}
