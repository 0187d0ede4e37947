import { type PublicationContent, withRenditions } from "../../model/publication-content.ts";
import { selectPart } from "../../model/publication-parts.ts";
import type { Publication } from "../../model/publication.ts";
import type { JobDeps } from "../../ports/deps.ts";
import type { FailedOutcome, PrepareRequest } from "../../ports/publisher.ts";

interface Part extends Pick<PrepareRequest, "content" | "replyTo"> {
  /** Whether a person said that the part before is public, so that its id at the platform is unknown. */
  isParentUnknown: boolean;
}

/** Returns what the next commit of a publication sends, and what it replies to. */
export async function readPart(
  { publications }: Pick<JobDeps, "publications">,
  { id, publicParts }: Publication,
  content: PublicationContent,
): Promise<Part> {
  const part = selectPart(withRenditions(content), publicParts);
  if (publicParts === 0) return { content: part, replyTo: null, isParentUnknown: false };
  const parts = await publications.listParts(id);
  const [rootId, parentId] = [parts[0]?.remoteId, parts[publicParts - 1]?.remoteId];
  const replyTo = rootId && parentId ? { rootId, parentId } : null;
  return { content: part, replyTo, isParentUnknown: replyTo === null };
}

export const parentUnknownOutcome = {
  kind: "rejected",
  code: "parent_unknown",
  message: "The next part can’t be a reply, because the platform didn’t confirm the one before.",
} as const satisfies FailedOutcome;
