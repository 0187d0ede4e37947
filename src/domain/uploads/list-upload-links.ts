import { toIsoTime } from "#lib/clock.ts";
import { notFoundError } from "#lib/errors.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { authorize } from "../policy.ts";
import { parsePostId } from "../model/post.ts";
import { maxOpenLinks } from "./upload-link.ts";

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
