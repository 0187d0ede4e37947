import { AppError } from "#lib/errors.ts";
import type { Asset } from "../model/asset.ts";
import { ConflictError } from "../model/conflict.ts";
import type { Deps } from "../ports/deps.ts";

/** Fails early, before bytes are stored. `chargeStudio` is the authority. */
export async function checkQuota(
  deps: Pick<Deps, "limits" | "assets">,
  studioId: string,
  bytes: number,
): Promise<void> {
  const { studioBytes } = deps.limits;
  if (studioBytes === undefined) return;
  if ((await deps.assets.getUsedBytes(studioId)) + bytes > studioBytes) throw quotaExceededError(deps);
}

export const quotaExceededError = ({ limits }: Pick<Deps, "limits">): AppError =>
  new AppError("quota_exceeded:studio", { limitBytes: limits.studioBytes ?? 0 });

/** Throws `ConflictError` instead if a parallel call has attached or deleted the asset. */
export async function throwPostFull(deps: Pick<Deps, "limits" | "assets">, asset: Asset): Promise<never> {
  const currentAsset = await deps.assets.find(asset.studioId, asset.id);
  if (currentAsset?.postId !== null) throw new ConflictError();
  throw postFullError(deps);
}

export const postFullError = ({ limits }: Pick<Deps, "limits">): AppError =>
  new AppError("asset_limit_reached", { limit: limits.assetsPerPost });
