import { hours, minutes, toIsoTime } from "#lib/clock.ts";
import { AppError, notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { type Caller, type Credential, scopes } from "../caller.ts";
import type { Editor } from "../changes/editor.ts";
import { recordActivity } from "../changes/record-activity.ts";
import { parsePostId } from "../model/post.ts";
import type { ResolvedLink } from "../model/upload.ts";
import { authorize } from "../policy.ts";
import type { Deps } from "../ports/deps.ts";
import { removeAssets } from "../steps/delete-files.ts";

/** How long new uploads can be started through a link. */
export const linkLifetime = minutes(30);
/** How long a started upload may take. */
export const maxUploadDuration = hours(24);
/** How many open links a post may have, including in-place links, so that they fit in one list. */
export const maxOpenLinks = 100;

/** How many of them one user may have through in-chat apps. They are not listed, so other members can't withdraw them. */
export const maxOpenAppUploads = 5;

/** How many files may be uploaded through one link. Every request of the upload page reads all of them. */
export const getLinkFileLimit = ({ limits }: Pick<Deps, "limits">): number => Math.max(100, limits.assetsPerPost);

/**
 * - `open`: accepts new uploads.
 * - `closing`: past its 30 minutes, with uploads still in progress.
 * - `finished`: past its 30 minutes, with at least one file and no uploads in progress.
 * - `expired`: past its 30 minutes, with no files.
 * - `withdrawn`: by a member or the operator, or because its creator left or is disabled, its grant was revoked, or the
 *   post was archived or deleted.
 */
export type LinkState = "open" | "closing" | "finished" | "expired" | "withdrawn";

export function getLinkState(link: ResolvedLink, now: number): LinkState {
  const isWithdrawn =
    link.withdrawnAt !== null || link.isGrantRevoked || link.creatorRole === null || link.postStatus === "archived";
  if (isWithdrawn) return "withdrawn";
  if (now < link.expiresAt) return "open";
  if (link.pendingFileCount > 0) return "closing";
  return link.readyFileCount > 0 ? "finished" : "expired";
}

/** Anyone with the link. Acts as its creator, on one post or the library, and only to upload files. */
export interface UploadCaller extends Caller {
  /** Recorded as the editor when a file is added to the post. */
  uploader: Editor;
  link: ResolvedLink;
  state: Exclude<LinkState, "withdrawn">;
}

export const toLinkCredential = ({ id, grantId }: ResolvedLink): Credential => ({
  kind: "uploadLink",
  linkId: id,
  grantId,
});

type LinkDeps = Pick<Deps, "uploads" | "signer" | "clock">;

/** Finds the link of a token, with its current state; undefined if the token is invalid. */
export async function findUploadLink(
  deps: LinkDeps,
  token: string,
): Promise<{ link: ResolvedLink; state: LinkState } | undefined> {
  const linkId = deps.signer.verify("upload", token)?.["link"];
  if (typeof linkId !== "string" || !isId("uploadLink", linkId)) return undefined;
  const link = await deps.uploads.findLink(linkId);
  return link && { link, state: getLinkState(link, deps.clock()) };
}

/** Reads the link on every request, so that changes to the membership, role, post and grant apply immediately. */
export async function resolveUploadCaller(deps: LinkDeps, token: string): Promise<UploadCaller> {
  const match = await findUploadLink(deps, token);
  // One error for forged, truncated and expired tokens, so that it reveals nothing.
  if (!match) throw new AppError("forbidden:upload_link");
  const { link, state } = match;
  if (state === "withdrawn" || link.creatorRole === null) throw new AppError("forbidden:upload_link_withdrawn");
  const user = link.creator;
  const studio = { id: link.studioId, name: link.studioName };
  const uploader: Caller = { user, studio, role: link.creatorRole, scopes, credential: toLinkCredential(link) };
  return {
    ...uploader,
    // A person uploads the file even if an AI client created the link, so undoing the client's changes keeps the file.
    uploader,
    ...(link.clientId === null ? {} : { client: { id: link.clientId, name: link.clientName ?? link.clientId } }),
    link,
    state,
  };
}

export interface UploadLinkView {
  id: string;
  createdBy: { id: string; name: string };
  /** The AI client that created the link; null if the user did. */
  client: { id: string; name: string } | null;
  createdAt: string;
  expiresAt: string;
  receivedFiles: number;
  uploadingFiles: number;
}

/** Lists the open upload links of a post, without their URLs, which are only returned on creation. */
export async function listUploadLinks(
  deps: Pick<Deps, "posts" | "uploads" | "clock">,
  caller: Caller,
  input: { postId: string },
): Promise<{ links: UploadLinkView[] }> {
  authorize(caller, "assets.read");
  const postId = parsePostId(input.postId);
  const [post, links] = await Promise.all([
    deps.posts.find(caller.studio.id, postId),
    deps.uploads.listLinks(caller.studio.id, postId, deps.clock(), maxOpenLinks),
  ]);
  if (!post) throw notFoundError("post");
  return {
    links: links.map((link) => ({
      id: link.id,
      createdBy: { id: link.createdBy, name: link.creatorName },
      client: link.clientId === null ? null : { id: link.clientId, name: link.clientName ?? link.clientId },
      createdAt: toIsoTime(link.createdAt),
      expiresAt: toIsoTime(link.expiresAt),
      receivedFiles: link.readyFileCount,
      uploadingFiles: link.pendingFileCount,
    })),
  };
}

/** Withdraws a link immediately. Keeps the files that have arrived and cancels uploads in progress. */
export async function withdrawUploadLink(
  deps: Pick<Deps, "uploads" | "strayFiles" | "transact" | "files" | "newId" | "clock">,
  caller: Caller,
  input: { postId: string; linkId: string },
): Promise<void> {
  authorize(caller, "assets.write");
  const postId = parsePostId(input.postId);
  if (!isId("uploadLink", input.linkId)) throw notFoundError("upload_link");
  await deps.transact(caller, async (tx) => {
    if (!(await tx.uploads.withdraw(caller.studio.id, postId, input.linkId, deps.clock())))
      throw notFoundError("upload_link");
    await recordActivity(deps, tx, caller, "upload_link.withdrawn", input.linkId, { postId });
  });
  const files = await deps.uploads.listFiles(input.linkId);
  await removeAssets(
    deps,
    files.map(({ asset }) => asset).filter(({ status }) => status === "pending"),
  );
}
