import type { Publication } from "../api/publication-queries.ts";
import { describeMissed } from "./publication-states.ts";
import { SentBackNote } from "./SentBackNote.tsx";
import { wasSentBack } from "./sent-back.ts";

/** Why a publication failed, was missed, is unconfirmed or was sent back; nothing for other publications. */
export function PublicationReason({
  publication,
  isSuperseded,
  className,
}: {
  publication: Publication;
  isSuperseded: boolean;
  className: string;
}) {
  const { state, problem } = publication;
  if (wasSentBack(publication))
    return (
      <p className={`${className} text-sm`}>
        <SentBackNote publication={publication} />
      </p>
    );
  const reason = state === "missed" ? describeMissed(isSuperseded) : problem?.message;
  return reason === undefined ? null : <p className={`${className} text-sm text-danger`}>{reason}</p>;
}
