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
  version: "v1.0",
  edges: { containers: "threads", publish: "threads_publish", quota: "threads_publishing_limit", posts: "threads" },
  statusField: "status",
  textField: "text",
};

export const fetchedMedia = "all";

export const listPostHosts = (): string[] => ["threads.com", "threads.net"];

export const classifyError = classifyGraphError;

export const canCheckCommit = isContainerKnown;

export function prepare(context: PrepareContext<ContainerProgress>): Promise<Preparation> {
  const { assets } = context.content;
  const files = assets.map((asset) => buildFileParams(asset, context.createMediaUrl(asset), assets.length > 1));
  return prepareContainer(context, names, files);
}

function buildFileParams({ kind, altText }: ContentAsset, url: string, isChild: boolean): Record<string, string> {
  return {
    ...(kind === "video" ? { media_type: "VIDEO", video_url: url } : { media_type: "IMAGE", image_url: url }),
    ...(altText === null || altText === "" ? {} : { alt_text: altText }),
    ...(isChild ? { is_carousel_item: "true" } : {}),
  };
}

export const commit = (context: CommitContext<ContainerProgress>): Promise<CommitOutcome> =>
  commitContainer(context, names);

export const lookUp = (context: LookUpContext<ContainerProgress>): Promise<LookUpOutcome> =>
  lookUpContainer(context, names);
