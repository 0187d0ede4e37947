import { readThumbnail } from "#domain/assets/thumbnails.ts";
import type { Deps } from "#domain/deps.ts";
import type { Route } from "../server.ts";
import { routeNotFoundError } from "../problem.ts";

export type ThumbnailRouteDeps = Pick<Deps, "assets" | "files" | "media" | "signer">;

const pathPrefix = "/files/thumb/";

/** `{base}/files/thumb/<token>`: small pictures, whatever the store. Made when first asked for. */
export function createThumbnailRoute(deps: ThumbnailRouteDeps): Route {
  return {
    path: `${pathPrefix}*`,
    origin: "any", // no cookie counts here; whoever has the address may use it
    async handle(req, res) {
      if (req.method !== "GET" && req.method !== "HEAD") throw routeNotFoundError();
      const { mimeType, content } = await readThumbnail(deps, (req.url ?? "").slice(pathPrefix.length));
      res.writeHead(200, {
        "content-type": mimeType,
        "content-length": content.length,
        // What a file is never changes, and neither does its thumbnail.
        "cache-control": "private, max-age=3600, immutable",
        "content-security-policy": "sandbox; default-src 'none'",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "cross-origin",
        "referrer-policy": "no-referrer",
      });
      res.end(req.method === "HEAD" ? undefined : content);
    },
  };
}
