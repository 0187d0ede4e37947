import { setImmediate as nextIteration } from "node:timers/promises";
import { AppError } from "#lib/errors.ts";
import { withAccountChoices } from "#portable/post-options.ts";
import { selectForAccount } from "#portable/select-for-account.ts";
import { type Asset, isReady, toAssetDetail } from "../model/asset.ts";
import { getAccountLabel, type PlatformConnection } from "../model/connection.ts";
import { applyInstanceLimits } from "../model/platform-limits.ts";
import type { Post } from "../model/post.ts";
import { isEmpty } from "../model/publication-content.ts";
import { findOptionProblems, personOptionCode } from "../model/post-options.ts";
import { getCrops } from "../model/renditions/crop.ts";
import type { ImageInspection } from "../model/renditions/plan-rendition.ts";
import { findFollowUpProblems } from "../model/validation/find-follow-up-problems.ts";
import { findMediaProblems } from "../model/validation/media-reachability.ts";
import { findProblems } from "../model/validation/validate-post.ts";
import type { Deps } from "../ports/deps.ts";
import { createPause } from "./pause.ts";

/**
 * Throws `not_publishable` with every problem that would make a platform reject the post. `isProposal`: apart from
 * options that only a person may choose, because approving asks for them.
 */
export async function assertPublishable(
  deps: Pick<Deps, "platforms" | "imageInspections">,
  post: Post,
  assets: readonly Asset[],
  connections: readonly PlatformConnection[],
  { isProposal = false }: { isProposal?: boolean } = {},
): Promise<void> {
  const problems = (await findPublishProblems(deps, post, assets, connections))
    .map(({ problems: found, ...account }) => ({
      ...account,
      problems: found.filter(({ code }) => !isProposal || code !== personOptionCode),
    }))
    .filter(({ problems: remaining }) => remaining.length > 0);
  if (problems.length > 0) throw new AppError("not_publishable", { problems });
}

/** How much of the follow-ups is counted before other requests have a turn. */
const charactersPerIteration = 20_000;

/** The problems of each account that would reject the post. */
export async function findPublishProblems(
  { platforms, imageInspections }: Pick<Deps, "platforms" | "imageInspections">,
  post: Post,
  assets: readonly Asset[],
  connections: readonly PlatformConnection[],
): Promise<{ connectionId: string; problems: { code: string; message: string }[] }[]> {
  const readyAssets = assets.filter(isReady);
  const inspections = await imageInspections.list(readyAssets.map(({ id: assetId }) => assetId));
  const pause = createPause(charactersPerIteration);
  const rejections: { connectionId: string; problems: { code: string; message: string }[] }[] = [];
  for (const connection of connections) {
    // Counting a long text takes milliseconds, and there may be one per account.
    if (rejections.length > 0) await nextIteration();
    const content = selectForAccount({ ...post, assets: readyAssets }, connection.id);
    const problems = [
      ...(post.status === "archived" ? [{ code: "archived", message: "An archived post can’t be published." }] : []),
      ...(isEmpty({ text: content.body, assets: content.assets })
        ? [{ code: "empty", message: describeEmptyPost(content.hasFileChoice) }]
        : []),
      ...(connection.state === "connected"
        ? []
        : [{ code: connection.state, message: `${getAccountLabel(connection.account)} must be connected again.` }]),
      ...(await findPlatformProblems({ platforms }, connection, post, content, inspections, pause)),
    ];
    rejections.push({ connectionId: connection.id, problems });
  }
  return rejections.filter(({ problems }) => problems.length > 0);
}

const describeEmptyPost = (hasFileChoice: boolean): string =>
  hasFileChoice ? "The post has no text, and no files for this account." : "The post has no text and no files.";

async function findPlatformProblems(
  { platforms }: Pick<Deps, "platforms">,
  { platform, account, limits: instanceLimits, choices }: PlatformConnection,
  { title, crops }: Post,
  { body, assets, hasFileChoice, options, followUps }: ReturnType<typeof selectForAccount<Asset>>,
  inspections: ReadonlyMap<string, ImageInspection>,
  pause: (work: number) => Promise<void>,
): Promise<{ code: string; message: string }[]> {
  const platformInfo = platforms.find(platform);
  if (!platformInfo?.canPublish) {
    const name = platformInfo?.name ?? platform;
    return [
      { code: "unsupported", message: `Publishing to ${name} (${getAccountLabel(account)}) is not available yet.` },
    ];
  }
  const limits = applyInstanceLimits(platformInfo.limits, instanceLimits);
  const post = {
    title,
    body,
    assets: assets.map(toAssetDetail),
    inspections,
    crops: getCrops(crops, platform),
    hasFileChoice,
  };
  const followUpProblems = await findFollowUpProblems(platformInfo, limits, followUps, async (check, { length }) => {
    await pause(length);
    return check();
  });
  return [
    ...[...findMediaProblems(platformInfo, assets), ...findProblems(limits, post), ...followUpProblems].filter(
      ({ level }) => level === "rejected",
    ),
    ...findOptionProblems(withAccountChoices(platformInfo.options, choices), body, options),
  ].map(({ code, message }) => ({ code, message }));
}
