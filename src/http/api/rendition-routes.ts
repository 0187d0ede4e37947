import { Readable } from "node:stream";
import { Hono } from "hono";
import { getRendition } from "#domain/renditions/get-rendition.ts";
import { setCrop, setCropInput } from "#domain/renditions/set-crop.ts";
import { sha256 } from "#lib/digest.ts";
import { formatContentDisposition } from "#lib/file-name.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { validateJson } from "./validate-input.ts";

const setCropBody = setCropInput.omit({ postId: true, assetId: true });

const stallTimeoutMs = 30_000;

/** Images as a platform receives them. */
export function createRenditionRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .get("/posts/:postId/assets/:assetId/renditions/:connectionId", async (c) => {
      const { signal } = c.req.raw;
      const rendition = await getRendition(deps, c.var.caller, c.req.param(), signal);
      const { storageKey, mimeType, filename, bytes } = rendition;
      // The bytes of a key never change.
      const etag = `"${sha256(storageKey)}"`;
      c.header("etag", etag);
      c.header("cache-control", "private, no-cache");
      c.header("content-security-policy", "sandbox; default-src 'none'");
      c.header("x-content-type-options", "nosniff");
      c.header("referrer-policy", "no-referrer");
      if (c.req.header("if-none-match") === etag) return c.body(null, 304);
      c.header("content-type", mimeType);
      c.header("content-length", String(bytes));
      c.header("content-disposition", formatContentDisposition(filename, false));
      // The framework would discard the body without closing the file.
      if (c.req.method === "HEAD") return c.body(null);
      const file = await deps.files.read(storageKey);
      // Disconnect clients that stop reading, because each keeps a file open.
      const { outgoing } = c.env;
      outgoing.setTimeout(stallTimeoutMs, () => outgoing.destroy());
      return c.body(Readable.toWeb(file) as ReadableStream);
    })
    .patch("/posts/:postId/assets/:assetId/crop", validateJson(setCropBody), async (c) =>
      c.json(await setCrop(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() })),
    );
}
