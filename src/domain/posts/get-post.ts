import { z } from "zod";
import { notFoundError } from "#lib/errors.ts";
import { describeAssets, includeUrlsInput, needsUrls } from "../assets/model/describe-asset.ts";
import type { Caller } from "../caller.ts";
import { commentView } from "../comments/comment.ts";
import { listNewestComments } from "../comments/list-comments.ts";
import type { Deps } from "../deps.ts";
import { validatePost, type ValidationView } from "../platforms/validate-post.ts";
import { toPublicationView, type PublicationView } from "../publishing/publication.ts";
import { authorize } from "../policy.ts";
import { inspectImages, maxCallWaitMs, type InspectDeps } from "../renditions/inspect-images.ts";
import { id } from "../text.ts";
import type { DetailFlags } from "./ports.ts";
import { parsePostId, postView, toPostView, type PostView } from "./post.ts";

export type ValidationDeps = Pick<Deps, "platforms" | "textChecks" | "platformStore" | "assets"> & InspectDeps;

/** Validates the post against the rules of the studio's connected platforms. */
async function validateForStudio(deps: ValidationDeps, studioId: string, post: PostView): Promise<ValidationView[]> {
  const connections = await deps.platformStore.listConnected(studioId);
  if (connections.length === 0) return [];
  const hasImages = post.assets.some(({ kind }) => kind === "image");
  const assets = hasImages ? await deps.assets.listByPosts([post.id]) : [];
  const inspections = await inspectImages(deps, assets, maxCallWaitMs);
  return validatePost(deps, connections, { ...post, inspections });
}

/** A post's view contains only the newest publications; list_publications returns all of them. */
const maxPublications = 50;

async function listPublications(
  { publications }: Pick<Deps, "publications">,
  studioId: string,
  postId: string,
): Promise<PublicationView[]> {
  return (await publications.list(studioId, { postId, limit: maxPublications })).map(toPublicationView);
}

/** Adds the validation and the publications, which are part of a single post's view but not of a list of posts. */
export async function addDetails<View extends PostView>(
  deps: ValidationDeps & Pick<Deps, "posts" | "publications">,
  studioId: string,
  view: View,
): Promise<View> {
  return addExistingDetails(deps, studioId, view, await deps.posts.findDetailFlags(studioId, view.id));
}

/** Uses the flags to skip queries that would find nothing. */
async function addExistingDetails<View extends PostView>(
  deps: ValidationDeps & Pick<Deps, "publications">,
  studioId: string,
  view: View,
  { hasPlatforms, hasPublications }: DetailFlags,
): Promise<View> {
  return {
    ...view,
    validation: hasPlatforms ? await validateForStudio(deps, studioId, view) : [],
    publications: hasPublications ? await listPublications(deps, studioId, view.id) : [],
  };
}

export const getPostInput = z.strictObject({
  postId: id,
  includePreviews: z.boolean().optional().describe("Return the first four images, scaled to 512 px."),
  includeUrls: includeUrlsInput,
  includeComments: z.boolean().optional().describe("Also return the newest comments."),
});

export const getPostOutput = postView.extend({
  comments: z.array(commentView).optional().describe("With includeComments: the newest comments, newest first."),
  olderComments: z.number().int().optional().describe("Number of older comments that are not included."),
});

export async function getPost(
  deps: ValidationDeps & Pick<Deps, "posts" | "comments" | "publications" | "signer" | "clock" | "baseUrl">,
  caller: Caller,
  input: z.infer<typeof getPostInput>,
): Promise<z.infer<typeof getPostOutput>> {
  authorize(caller, "posts.read");
  const postId = parsePostId(input.postId);
  const [result, assets] = await Promise.all([
    deps.posts.findWithDetailFlags(caller.studio.id, postId),
    deps.assets.listByPosts([postId]),
  ]);
  if (!result) throw notFoundError("post");
  const view = toPostView(
    deps.baseUrl,
    result.post,
    await describeAssets(deps, assets, needsUrls(caller, input.includeUrls)),
  );
  return {
    ...(await addExistingDetails(deps, caller.studio.id, view, result)),
    ...(input.includeComments ? await listNewestComments(deps, postId) : {}),
  };
}
