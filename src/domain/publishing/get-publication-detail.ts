import { toIsoTime } from "#lib/clock.ts";
import type { ListedActivity } from "../model/activity.ts";
import type { Caller } from "../caller.ts";
import type { Deps } from "../ports/deps.ts";
import { toUserOrClient, type UserOrClient } from "../model/user-or-client.ts";
import { authorize } from "../policy.ts";
import type { PostOptions } from "#portable/post-options.ts";
import { type PublicationContent, withRenditions } from "../model/publication-content.ts";
import { type PublicationWithNames, toWebPublicationView, type WebPublicationView } from "../model/publication.ts";
import { getPublication } from "../steps/get-publication.ts";
import type { PublicationAction } from "../changes/change-publication.ts";

/** A timeline has only the newest entries. Retries end after an hour, so only users can cause more than this. */
const maxTimelineLength = 200;

interface TimelineEntry {
  id: string;
  action: PublicationAction;
  at: string;
  /** Null if the worker or a former member caused the entry. */
  user: UserOrClient | null;
  client: UserOrClient | null;
  revision: number | null;
  /** The publishing time that was requested, approved or changed to. */
  scheduledFor: string | null;
  /** The state of the publication after this entry. */
  outcome: string | null;
  /** Why the publication was delayed or failed. */
  reason: string | null;
  /** How many parts are public, and how many there are; null for posts without follow-ups. */
  parts: [number, number] | null;
}

interface PublicationDetail extends WebPublicationView {
  /** Whether the platform shows the post's title. */
  includesTitle: boolean;
  /** What a person approved last, or requested without needing an approval, so that users can compare a proposal with it. */
  lastApproval: { revision: number; scheduledFor: string | null } | null;
  /** What was sent, or is being sent. */
  sent: {
    title: string | null;
    text: string;
    assets: { id: string; mimeType: string; filename: string; altText?: string }[];
    options?: PostOptions;
    followUps?: readonly string[];
  } | null;
  /** The public parts, if it has follow-ups. The first is the post itself. */
  parts?: { url: string | null; publishedAt: string }[];
  /** Oldest first. */
  timeline: TimelineEntry[];
}

/** Returns a publication with its timeline, even for members, who can't see the studio's other activity. */
export async function getPublicationDetail(
  deps: Pick<Deps, "publications" | "activity">,
  caller: Caller,
  input: { publicationId: string },
): Promise<PublicationDetail> {
  authorize(caller, "publications.read");
  const publication = await getPublication(deps, caller, input.publicationId);
  const activity = await deps.activity.list(caller.studio.id, {
    subjectId: publication.id,
    limit: maxTimelineLength,
  });
  const parts = publication.publicParts === 0 ? undefined : await deps.publications.listParts(publication.id);
  return {
    ...toWebPublicationView(publication),
    ...(parts && { parts: parts.map(({ url, publishedAt }) => ({ url, publishedAt: toIsoTime(publishedAt) })) }),
    includesTitle: publication.includesTitle,
    lastApproval: toLastApproval(publication, activity),
    sent: publication.content && toSentView(withRenditions(publication.content)),
    timeline: activity.toReversed().map(toTimelineEntry),
  };
}

const approvalActions: readonly string[] = ["publication.approved", "publication.scheduled"];

/**
 * An edit by a user who may publish moves the approval to its revision without a review. The comparison starts at the
 * revision that a person approved or scheduled, so that it contains such edits too.
 */
function toLastApproval(
  { approvedRevision, approvedTime }: PublicationWithNames,
  newestActivity: readonly ListedActivity[],
): PublicationDetail["lastApproval"] {
  if (approvedRevision === null) return null;
  const approval = newestActivity.find(({ action }) => approvalActions.includes(action));
  return {
    revision: (approval && readRevision(approval)) ?? approvedRevision,
    scheduledFor: approvedTime === null ? null : toIsoTime(approvedTime),
  };
}

function toSentView({ title, text, assets, options, followUps }: PublicationContent): PublicationDetail["sent"] {
  return {
    title,
    text,
    ...(options && { options }),
    ...(followUps && { followUps }),
    assets: assets.map(({ id, mimeType, filename, altText }) => ({
      id,
      mimeType,
      filename,
      ...(altText === null ? {} : { altText }),
    })),
  };
}

function toTimelineEntry(row: ListedActivity): TimelineEntry {
  const { userId, userName, clientId, clientName, detail } = row;
  const readText = (name: string): string | null => (typeof detail[name] === "string" ? detail[name] : null);
  return {
    id: row.id,
    action: row.action as PublicationAction,
    at: toIsoTime(row.at),
    user: toUserOrClient(userId, userName),
    client: toUserOrClient(clientId, clientName),
    revision: readRevision(row),
    scheduledFor: readText("at"),
    outcome: readText("to"),
    reason: readText("reason"),
    parts: Array.isArray(detail["parts"]) ? (detail["parts"] as [number, number]) : null,
  };
}

const readRevision = ({ detail: { revision } }: ListedActivity): number | null =>
  typeof revision === "number" ? revision : null;
