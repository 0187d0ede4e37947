import { AppError, notFoundError } from "#lib/errors.ts";
import { selectForAccount } from "#portable/select-for-account.ts";
import { getBytesId, isReady, parseAssetId } from "../model/asset.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { parseConnectionId } from "../model/connection.ts";
import { authorize } from "../policy.ts";
import { parsePostId } from "../model/post.ts";
import {
  findOrCreateRendition,
  getImageLimit,
  type InspectDeps,
  inspectImages,
  type Rendition,
} from "../steps/renditions.ts";
import { getCrops } from "../model/renditions/crop.ts";
import { planForAsset } from "../model/renditions/plan-for-asset.ts";
import { canBeDecoded } from "../model/renditions/plan-rendition.ts";
import { seconds } from "#lib/clock.ts";

const maxInspectionMs = seconds(10);

/** Returns the image as an account will receive it. Throws `not_publishable` if the account can't receive it. */
export async function getRendition(
  deps: Pick<Deps, "posts" | "assets" | "platforms" | "platformStore"> & InspectDeps,
  caller: Caller,
  input: { postId: string; assetId: string; connectionId: string },
  signal?: AbortSignal,
): Promise<Rendition> {
  authorize(caller, "posts.read");
  const { studio } = caller;
  const [postId, assetId] = [parsePostId(input.postId), parseAssetId(input.assetId)];
  const [post, asset, connection] = await Promise.all([
    deps.posts.find(studio.id, postId),
    deps.assets.find(studio.id, assetId),
    deps.platformStore.find(studio.id, parseConnectionId(input.connectionId)),
  ]);
  if (!post) throw notFoundError("post");
  if (!connection) throw notFoundError("platform_connection");
  if (!asset || asset.postId !== postId) throw notFoundError("asset");
  const files = (await deps.assets.listByPosts([postId])).filter(isReady);
  const { assets: accountFiles } = selectForAccount({ ...post, assets: files }, connection.id);
  const limit = getImageLimit(deps, connection, accountFiles.length);
  if (!isReady(asset) || asset.kind !== "image" || !limit) throw notFoundError("image");
  const inspections = await inspectImages(deps, [asset], maxInspectionMs, { signal });
  const crop = getCrops(post.crops, connection.platform).get(assetId);
  const inspection = inspections.get(assetId);
  const plan = planForAsset(asset, inspection, limit, crop);
  const requester = { studioId: studio.id, isUrgent: false, signal };
  const rendition =
    inspection || !canBeDecoded(asset.mimeType)
      ? await findOrCreateRendition(deps, { ...asset, digest: getBytesId(asset) }, plan, requester)
      : ({ kind: "busy" } as const);
  if (!("kind" in rendition)) return rendition;
  const { code, reason } =
    rendition.kind === "rejected"
      ? rendition
      : { code: "image_busy", reason: "took too long to convert; try again later" };
  const problem = { code, message: `${asset.filename} ${reason}.` };
  throw new AppError("not_publishable", { problems: [{ connectionId: connection.id, problems: [problem] }] });
}
