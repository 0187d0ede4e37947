import { isoTime } from "#lib/clock.ts";
import { extensionsOf } from "../assets/filename.ts";
import { assetKinds } from "../assets/kinds.ts";
import type { Deps } from "../deps.ts";
import { authorize } from "../policy.ts";
import { viewFile, type FileView } from "./file-view.ts";
import { linkExpired } from "./link.ts";
import type { UploadVisitor } from "./visit.ts";

export interface SessionView {
  studio: { name: string };
  post: { title: string };
  /** Until then files can be begun. */
  expiresAt: string;
  /** Types and endings, as a file dialog takes them. */
  accepts: string[];
  files: FileView[];
}

/** All that a link shows: the studio's name, the post's title, and the files sent through it. */
export async function describeSession(
  deps: Pick<Deps, "uploads" | "files" | "signer" | "clock" | "base">,
  visitor: UploadVisitor,
): Promise<SessionView> {
  authorize(visitor, "assets.write");
  if (visitor.state === "expired" || visitor.state === "finished") throw linkExpired();
  const { link, studio } = visitor;
  const files = await deps.uploads.listFiles(link.id);
  return {
    studio: { name: studio.name },
    post: { title: link.postTitle },
    expiresAt: isoTime(link.expiresAt),
    accepts: Object.values(assetKinds).flatMap((types) => types.flatMap((type) => [type, ...extensionsOf(type)])),
    files: await Promise.all(files.map((file) => viewFile(deps, visitor, file))),
  };
}
