import { toIsoTime } from "#lib/clock.ts";
import { listExtensions } from "../steps/content/filename.ts";
import { assetKinds } from "../model/asset-kinds.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { toFileView, type FileView } from "./file-view.ts";
import { linkExpiredError, type UploadCaller } from "./upload-link.ts";

export interface UploadPageView {
  studio: { name: string };
  /** Null if the files are uploaded to the library. */
  post: { title: string } | null;
  /** New uploads can be started until this time. */
  expiresAt: string;
  /** MIME types and extensions, for the `accept` attribute of a file input. */
  accepts: string[];
  /** Null for the library, which has no limit. */
  fileLimit: { perPost: number; remaining: number } | null;
  files: FileView[];
}

/** Everything that an upload link reveals: the studio, the post, and the files that were uploaded through the link. */
export async function describeUploadPage(
  deps: Pick<Deps, "uploads" | "files" | "signer" | "clock" | "baseUrl" | "limits">,
  caller: UploadCaller,
): Promise<UploadPageView> {
  authorize(caller, "assets.write");
  if (caller.state === "expired" || caller.state === "finished") throw linkExpiredError();
  const { link, studio } = caller;
  const perPost = deps.limits.assetsPerPost;
  const files = await deps.uploads.listFiles(link.id);
  return {
    studio: { name: studio.name },
    post: link.postTitle === null ? null : { title: link.postTitle },
    expiresAt: toIsoTime(link.expiresAt),
    accepts: Object.values(assetKinds).flatMap((types) => types.flatMap((type) => [type, ...listExtensions(type)])),
    fileLimit: link.postId === null ? null : { perPost, remaining: Math.max(0, perPost - link.postAssetCount) },
    files: await Promise.all(files.map((file) => toFileView(deps, caller, file))),
  };
}
