import { z } from "zod";
import type { Caller } from "../caller.ts";
import type { Deps } from "../deps.ts";
import { pageInput, parseCursor, toPage } from "../page.ts";
import { authorize } from "../policy.ts";
import { parsePostId } from "../posts/post.ts";
import { id } from "../text.ts";
import { publicationView, toPublicationView } from "./publication.ts";
import { visibleStates } from "./states.ts";

const time = z.iso.datetime({ offset: true });

export const listPublicationsInput = z.strictObject({
  postId: id.optional().describe("Only publications of this post."),
  state: z.enum(visibleStates).optional(),
  from: time
    .optional()
    .describe("Only publications at or after this time: when published, otherwise when scheduled or created."),
  to: time.optional(),
  ...pageInput,
});

export const listPublicationsOutput = z.object({
  publications: z.array(publicationView),
  nextCursor: z.string().nullable(),
});

/** Lists the studio's publications, newest first. */
export async function listPublications(
  deps: Pick<Deps, "publications">,
  caller: Caller,
  input: z.infer<typeof listPublicationsInput>,
): Promise<z.infer<typeof listPublicationsOutput>> {
  authorize(caller, "publications.read");
  const { postId, state, from, to, limit } = input;
  const listKey = `publications ${caller.studio.id} ${postId ?? ""} ${state ?? ""} ${from ?? ""} ${to ?? ""}`;
  const rows = await deps.publications.list(caller.studio.id, {
    postId: postId === undefined ? undefined : parsePostId(postId),
    state,
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
    before: parseCursor(input.cursor, listKey),
    limit: limit + 1,
  });
  const { items, nextCursor } = toPage(rows, limit, listKey);
  return { publications: items.map(toPublicationView), nextCursor };
}
