import { toIsoTime } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import { isId } from "#lib/ids.ts";
import { recordActivity } from "../activity/record.ts";
import { removeAssets } from "../assets/lifecycle/delete-files.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { parsePostId } from "../posts/post.ts";

export interface UploadLinkView {
  id: string;
  createdBy: { id: string; name: string };
  /** The AI client that created the link; null if the user did. */
  client: { id: string; name: string } | null;
  createdAt: string;
  expiresAt: string;
  arrived: number;
  /** Files still uploading. */
  onTheWay: number;
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
    deps.uploads.listLinks(caller.studio.id, postId, deps.clock()),
  ]);
  if (!post) throw notFoundError("post");
  return {
    links: links.map((link) => ({
      id: link.id,
      createdBy: { id: link.createdBy, name: link.creatorName },
      client: link.clientId === null ? null : { id: link.clientId, name: link.clientName ?? link.clientId },
      createdAt: toIsoTime(link.createdAt),
      expiresAt: toIsoTime(link.expiresAt),
      arrived: link.readyFiles,
      onTheWay: link.pendingFiles,
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
  await deps.transact(async (tx) => {
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
