import type { ContentAsset } from "#domain/model/publication-content.ts";
import type { CommitOutcome, LookUpOutcome } from "#domain/ports/publisher.ts";
import {
  commitContainer,
  isContainerKnown,
  lookUpContainer,
  prepareContainer,
  type ContainerNames,
  type ContainerProgress,
} from "../graph/containers.ts";
import { classifyGraphError } from "../graph/errors.ts";
import type { CommitContext, LookUpContext, Preparation, PrepareContext } from "../publishing/publish-module.ts";

const names: ContainerNames = {
  version: "v25.0",
  edges: { containers: "media", publish: "media_publish", quota: "content_publishing_limit", posts: "media" },
  statusField: "status_code",
  textField: "caption",
};

export const fetchedMedia = "all";

export const listPostHosts = (): string[] => ["instagram.com"];

export const classifyError = classifyGraphError;

export const canCheckCommit = isContainerKnown;

export function prepare(context: PrepareContext<ContainerProgress>): Promise<Preparation> {
  const { assets } = context.content;
  const files = assets.map((asset) => buildFileParams(asset, context.createMediaUrl(asset), assets.length > 1));
  return prepareContainer(context, names, files);
}

/** Only images have alt text. A single video is a reel, which is also shown in the feed. */
function buildFileParams({ kind, altText }: ContentAsset, url: string, isChild: boolean): Record<string, string> {
  return {
    ...(kind === "video" ? { video_url: url } : { image_url: url }),
    ...(kind === "video" && isChild ? { media_type: "VIDEO" } : {}),
    ...(kind === "video" && !isChild ? { media_type: "REELS", share_to_feed: "true" } : {}),
    ...(kind === "image" && altText !== null && altText !== "" ? { alt_text: altText } : {}),
    ...(isChild ? { is_carousel_item: "true" } : {}),
  };
}

export const commit = (context: CommitContext<ContainerProgress>): Promise<CommitOutcome> =>
  commitContainer(context, names);

export const lookUp = (context: LookUpContext<ContainerProgress>): Promise<LookUpOutcome> =>
  lookUpContainer(context, names);
