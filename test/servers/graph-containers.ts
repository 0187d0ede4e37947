import type { PublicMedia } from "./graph-media.ts";

/**
 * Media containers, which Instagram and Threads share. Sources, read on 2026-11-16:
 *
 * - https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-container
 * - https://developers.facebook.com/documentation/threads/troubleshooting
 */
export interface Container {
  id: string;
  kind: "text" | "image" | "video" | "carousel";
  text: string;
  isCarouselItem: boolean;
  children: Container[];
  createdAt: number;
  isPublished: boolean;
  /** The number of status requests that return IN_PROGRESS. */
  remainingPolls: number;
  /** Resolves when the media are fetched and checked. */
  processing: Promise<ProcessingOutcome>;
}

export type ProcessingOutcome = { media: PublicMedia[] } | { error: string };

export type ContainerStatus = "EXPIRED" | "ERROR" | "FINISHED" | "IN_PROGRESS" | "PUBLISHED";

/** How many status requests return IN_PROGRESS before the outcome of a container. */
export type ProcessingPolls = Record<Container["kind"], number>;

export const containerLifetimeMs = 86_400_000;

export interface ContainerState {
  status: ContainerStatus;
  /** The reason if the status is ERROR. */
  error?: string;
  /** The media if the status is FINISHED or PUBLISHED. */
  media?: PublicMedia[];
}

export async function readContainerState(container: Container, now: number): Promise<ContainerState> {
  if (container.isPublished) return { status: "PUBLISHED", ...(await readMedia(container)) };
  if (now - container.createdAt >= containerLifetimeMs) return { status: "EXPIRED" };
  const all = [container, ...container.children];
  if (all.some(({ remainingPolls }) => remainingPolls > 0)) return { status: "IN_PROGRESS" };
  const outcome = await readMedia(container);
  return "error" in outcome ? { status: "ERROR", ...outcome } : { status: "FINISHED", ...outcome };
}

/** The media of the container, or of its children in their order. */
async function readMedia(container: Container): Promise<ProcessingOutcome> {
  const media: PublicMedia[] = [];
  for (const { processing } of [container, ...container.children]) {
    const outcome = await processing;
    if ("error" in outcome) return outcome;
    media.push(...outcome.media);
  }
  return { media };
}

/** Counts a status request of a container. For a carousel, it also counts as a request of each child. */
export function countPoll(container: Container): void {
  for (const each of [container, ...container.children])
    Object.assign(each, { remainingPolls: Math.max(0, each.remainingPolls - 1) });
}

/** Ids separated by commas, as documented, or as a JSON array. */
export function parseIds(value: string): string[] {
  return value.replaceAll(/[[\]"\s]/g, "").split(",");
}
