import { tryChangePublication } from "../changes/change-publication.ts";
import type { Operator } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { describeStep } from "../steps/describe-step.ts";
import { unscheduledColumns } from "../model/publish-time.ts";

const batchSize = 100;

/**
 * Returns every publication that would start to the proposals of its studio. For a database that was restored: since the
 * backup, a publication may have been published, canceled or changed.
 */
export async function unapprovePublications(
  deps: Pick<Deps, "publications" | "transact" | "newId" | "clock">,
  operator: Operator,
): Promise<{ unapproved: number }> {
  let unapprovedCount = 0;
  for (let after = ""; ;) {
    const publications = await deps.publications.listStartable(after, batchSize);
    for (const publication of publications.filter(({ publicParts }) => publicParts === 0)) {
      const event = publication.state === "preparing" ? "voidApproval" : "unapprove";
      const change = { ...unscheduledColumns, approvedBy: null, approvedRevision: null, approvedTime: null };
      const unapprovedPublication = await deps.transact(operator, (tx) =>
        tryChangePublication(deps, tx, operator, publication, {
          event,
          change,
          action: "publication.unapproved",
          detail: describeStep(publication, event, change),
        }),
      );
      if (unapprovedPublication) unapprovedCount++;
    }
    after = publications.at(-1)?.id ?? "";
    if (publications.length < batchSize) return { unapproved: unapprovedCount };
  }
}
