import { AppError } from "#lib/errors.ts";
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
