import type { PostOption } from "#portable/post-options.ts";
import type { PostLimits } from "./platform-limits.ts";

export type FetchedMedia = "all" | "images" | "videos";

export interface PlatformInfo {
  id: string;
  name: string;
  /** Whether the platform is federated: every account belongs to an instance, such as a Mastodon server. */
  hasInstances: boolean;
  /** The instance that is used if the user enters none. */
  defaultInstance?: string | undefined;
  /** Whether the settings contain our app's credentials, or the platform needs none. */
  isConfigured: boolean;
  /** Whether the catalog describes how to publish to the platform. */
  canPublish: boolean;
  /** Whether posts can have follow-ups. */
  canReply: boolean;
  /** The files that the platform fetches from a URL of this server; undefined if we upload all files. */
  fetchedMedia?: FetchedMedia | undefined;
  /** The files that the platform would have to fetch but can't, because this server has no public URL. */
  unreachableMedia?: FetchedMedia | undefined;
  limits: PostLimits;
  /** What the platform allows the operator's app before a review. */
  notice?: string | undefined;
  options: readonly PostOption[];
}
