import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { getRendition } from "#domain/renditions/get-rendition.ts";
import { setCrop, setCropInput } from "#domain/renditions/set-crop.ts";
import { sha256 } from "#lib/digest.ts";
import { formatContentDisposition } from "#lib/file-name.ts";
import { sendBody } from "../files/file-get.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { validateJson } from "./validate-input.ts";

const setCropBody = setCropInput.omit({ postId: true, assetId: true });

/** Images as a platform receives them. */
export function createRenditionRoutes({ deps, stallTimeoutMs }: ApiOptions) {
  return new Hono<StudioEnv>()
    .get("/posts/:postId/assets/:assetId/renditions/:connectionId", async (c) => {
      const { signal } = c.req.raw;
      const rendition = await getRendition(deps, c.var.caller, c.req.param(), signal);
      const { storageKey, mimeType, filename, bytes } = rendition;
      // The bytes of a key never change.
      const etag = `"${sha256(storageKey)}"`;
      const headers = {
        etag,
        "cache-control": "private, no-cache",
        "content-security-policy": "sandbox; default-src 'none'",
        "referrer-policy": "no-referrer",
      };
      if (c.req.header("if-none-match") === etag) return c.body(null, 304, headers);
      const fileHeaders = {
        ...headers,
        "content-type": mimeType,
        "content-length": String(bytes),
        "content-disposition": formatContentDisposition(filename, false),
      };
      if (c.req.method === "HEAD") return c.body(null, 200, fileHeaders);
      const file = await deps.files.read(storageKey);
      // Not sent by the framework, which writes errors to the console instead of the log.
      await sendBody(file, c.env.outgoing.writeHead(200, fileHeaders), stallTimeoutMs);
      return RESPONSE_ALREADY_SENT;
    })
    .patch("/posts/:postId/assets/:assetId/crop", validateJson(setCropBody), async (c) =>
      c.json(await setCrop(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() })),
    );
}
