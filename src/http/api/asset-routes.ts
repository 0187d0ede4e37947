import { Hono } from "hono";
import { attachAsset, attachInOrderInput, detachAsset } from "#domain/assets/attach-asset.ts";
import { copyAsset } from "#domain/assets/copy-asset.ts";
import { deleteAsset } from "#domain/assets/delete-asset.ts";
import { getAssetUsage } from "#domain/assets/get-asset.ts";
import { listAssetDetails, listAssetDetailsInput } from "#domain/assets/list-assets.ts";
import { updateAsset, updateAssetInput } from "#domain/assets/update-asset.ts";
import { getPost } from "#domain/posts/get-post.ts";
import type { ApiOptions, StudioEnv } from "./context.ts";
import { jsonWithEtag, noContent } from "./responses.ts";
import { validateJson, validateOptionalJson, validateQuery } from "./validate-input.ts";

const updateAssetBody = updateAssetInput.omit({ assetId: true });
const attachAssetBody = attachInOrderInput.omit({ postId: true, assetId: true });

/** The studio's asset library, and attaching assets to posts. */
export function createAssetRoutes({ deps }: ApiOptions) {
  return new Hono<StudioEnv>()
    .get("/assets", validateQuery(listAssetDetailsInput), async (c) =>
      jsonWithEtag(c, await listAssetDetails(deps, c.var.caller, c.req.valid("query"))),
    )
    .get("/assets/:assetId", async (c) => c.json(await getAssetUsage(deps, c.var.caller, c.req.param())))
    .patch("/assets/:assetId", validateJson(updateAssetBody), async (c) =>
      c.json(await updateAsset(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() })),
    )
    .delete("/assets/:assetId", async (c) => noContent(c, deleteAsset(deps, c.var.caller, c.req.param())))
    .post("/assets/:assetId/copy", async (c) => c.json(await copyAsset(deps, c.var.caller, c.req.param()), 201))
    .get("/posts/:postId/assets", async (c) => {
      const { assets } = await getPost(deps, c.var.caller, c.req.param());
      return jsonWithEtag(c, { assets });
    })
    .put("/posts/:postId/assets/:assetId", validateOptionalJson(attachAssetBody), async (c) =>
      c.json(await attachAsset(deps, c.var.caller, { ...c.req.valid("json"), ...c.req.param() })),
    )
    .delete("/posts/:postId/assets/:assetId", async (c) =>
      noContent(c, detachAsset(deps, c.var.caller, c.req.param())),
    );
}
