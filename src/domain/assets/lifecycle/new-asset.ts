import type { Caller } from "../../caller.ts";
import type { Deps } from "../../deps.ts";
import type { Asset } from "../model/asset.ts";
import { unknownMetadata } from "../model/media-metadata.ts";

export function createPendingAsset(
  deps: Pick<Deps, "newId" | "clock">,
  caller: Pick<Caller, "user" | "studio" | "client">,
  file: Pick<Asset, "kind" | "mimeType" | "filename">,
  lifetime: number,
): Asset {
  return { ...buildNewAsset(deps, caller, file), status: "pending", uploadExpiresAt: deps.clock() + lifetime };
}

export function buildNewAsset(
  deps: Pick<Deps, "newId" | "clock">,
  caller: Pick<Caller, "user" | "studio" | "client">,
  { kind, mimeType, filename }: Pick<Asset, "kind" | "mimeType" | "filename">,
): Omit<Asset, "status"> {
  return {
    id: deps.newId("asset"),
    studioId: caller.studio.id,
    postId: null,
    position: null,
    kind,
    mimeType,
    filename,
    bytes: null,
    version: null,
    sha256: null,
    storageKey: null,
    sourceVersion: null,
    chargedBytes: 0,
    altText: null,
    tags: [],
    ...unknownMetadata,
    uploadExpiresAt: null,
    createdBy: caller.user.id,
    createdByClientName: caller.client?.name ?? null,
    changeCount: 0,
    isLibraryUpload: false,
    trashExpiresAt: null,
    createdAt: deps.clock(),
  };
}
