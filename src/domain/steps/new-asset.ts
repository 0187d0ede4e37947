import type { Caller } from "../caller.ts";
import { type Asset, unknownMetadata } from "../model/asset.ts";
import type { Deps } from "../ports/deps.ts";

/** Builds the record of an asset without storing it. */
export function buildPendingAsset(
  deps: Pick<Deps, "newId" | "clock">,
  caller: Pick<Caller, "user" | "studio" | "client">,
  file: Pick<Asset, "kind" | "mimeType" | "filename">,
  uploadLifetimeMs: number,
): Asset & { uploadExpiresAt: number } {
  return { ...buildNewAsset(deps, caller, file), status: "pending", uploadExpiresAt: deps.clock() + uploadLifetimeMs };
}

/** Builds the record of an asset without storing it. The caller adds the status. */
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
