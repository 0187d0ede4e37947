import { z } from "zod";
import { toIsoTime } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { recordActivity } from "../changes/record-activity.ts";
import { getGrantId, type Caller } from "../caller.ts";
import type { Deps, Tx } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { parsePostId } from "../model/post.ts";
import { id } from "../model/text.ts";
import { linkLifetime, maxOpenAppUploads, maxOpenLinks, maxUploadDuration } from "./upload-link.ts";
import type { UploadLink } from "../model/upload.ts";

export const createUploadSessionInput = z.strictObject({ postId: id });

export const createUploadSessionOutput = z.object({
  url: z
    .string()
    .describe(
      "The upload page to give to the user. Anyone with this link can upload files to this post, and nothing else.",
    ),
  expiresInMinutes: z
    .number()
    .int()
    .describe("How long new uploads can start; an upload may then take up to 24 hours."),
});

type CreateLinkDeps = Pick<Deps, "transact" | "signer" | "newId" | "clock" | "uploadPage">;

/** Creates a link that lets anyone upload files of any size to one post in a browser, without signing in. */
export async function createUploadSession(
  deps: CreateLinkDeps,
  caller: Caller,
  input: z.infer<typeof createUploadSessionInput>,
): Promise<z.infer<typeof createUploadSessionOutput>> {
  const { url, expiresInMinutes } = await createUploadLink(deps, caller, { ...input, inPlace: false });
  return { url, expiresInMinutes };
}

export const createUploadLinkInput = z.strictObject({
  postId: id,
  inPlace: z.boolean().default(false).describe("For the calling page's own uploads; not listed as a link."),
});

export interface CreatedUploadLink {
  id: string;
  url: string;
  token: string;
  expiresInMinutes: number;
  expiresAt: string;
}

/** Like `createUploadSession`, but also returns the id and the token, for the web app and the in-chat app. */
export async function createUploadLink(
  deps: CreateLinkDeps,
  caller: Caller,
  input: z.infer<typeof createUploadLinkInput>,
): Promise<CreatedUploadLink> {
  authorize(caller, "assets.write");
  return insertUploadLink(deps, caller, parsePostId(input.postId), input.inPlace);
}

/** Creates a link for the caller's own uploads to the library in the web app. It is never listed. */
export async function createLibraryUploadLink(deps: CreateLinkDeps, caller: Caller): Promise<CreatedUploadLink> {
  authorize(caller, "assets.write");
  return insertUploadLink(deps, caller, null, true);
}

async function insertUploadLink(
  deps: CreateLinkDeps,
  caller: Caller,
  postId: string | null,
  isInPlace: boolean,
): Promise<CreatedUploadLink> {
  const now = deps.clock();
  const link: UploadLink = {
    id: deps.newId("uploadLink"),
    studioId: caller.studio.id,
    postId,
    createdBy: caller.user.id,
    grantId: getGrantId(caller),
    clientId: caller.client?.id ?? null,
    clientName: caller.client?.name ?? null,
    isInPlace,
    createdAt: now,
    expiresAt: now + linkLifetime,
    withdrawnAt: null,
  };
  await deps.transact(caller, async (tx) => {
    if (postId !== null) await lockPost(tx, caller, postId, link);
    await tx.uploads.insertLink(link);
    if (!isInPlace) await recordActivity(deps, tx, caller, "upload_link.created", link.id, { postId });
  });
  // The token expires later than the link, because started uploads may continue; the record decides what is allowed.
  const token = deps.signer.sign("upload", { link: link.id }, link.expiresAt + maxUploadDuration);
  return {
    id: link.id,
    url: `${deps.uploadPage}/u/${token}`,
    token,
    expiresInMinutes: linkLifetime / 60_000,
    expiresAt: toIsoTime(link.expiresAt),
  };
}

/** Throws if the post accepts no other link. The lock prevents parallel calls from exceeding the limit. */
async function lockPost(tx: Tx, { studio }: Caller, postId: string, link: UploadLink): Promise<void> {
  const post = await tx.posts.lock(studio.id, postId);
  if (!post) throw notFoundError("post");
  if (post.status === "archived") throw new AppError("invalid_input:post_archived");
  const { createdAt: now, createdBy, isInPlace, clientId } = link;
  if ((await tx.uploads.countOpenLinks(postId, now)) >= maxOpenLinks)
    throw new AppError("quota_exceeded:upload_links", { limit: maxOpenLinks });
  const isAppUpload = isInPlace && clientId !== null;
  if (isAppUpload && (await tx.uploads.countOpenAppUploads(postId, now, createdBy)) >= maxOpenAppUploads)
    throw new AppError("quota_exceeded:app_uploads", { limit: maxOpenAppUploads });
}
