import { Link } from "@tanstack/react-router";
import { useId } from "react";
import { useStudio } from "../layout/use-studio.ts";
import { describeRequestedTime } from "../publishing/describe-time.ts";
import { Badge } from "../ui/Badge.tsx";
import { List } from "../ui/List.tsx";
import type { ReturnedPublication } from "./ApprovalChoices.tsx";

/** Publications that the undone changes had returned for approval, and when they go out. */
export function ReturnedPublications({
  title,
  publications,
}: {
  title: string;
  publications: readonly ReturnedPublication[];
}) {
  const headingId = useId();
  if (publications.length === 0) return null;
  return (
    <section className="mt-6" aria-labelledby={headingId}>
      <h2 id={headingId} className="mb-3">
        {title}
      </h2>
      <List aria-labelledby={headingId}>
        {publications.map((publication) => (
          <PublicationRow key={publication.id} publication={publication} />
        ))}
      </List>
    </section>
  );
}

function PublicationRow({
  publication: { id, postTitle, account, scheduledFor },
}: {
  publication: ReturnedPublication;
}) {
  const { studio } = useStudio();
  return (
    <li className="grid grid-cols-1 gap-x-8 gap-y-1 py-4 sm:grid-cols-2">
      <p className="m-0 font-medium [overflow-wrap:anywhere]">
        <Link to="/studios/$studioId/publications/$publicationId" params={{ studioId: studio.id, publicationId: id }}>
          {postTitle ?? "A post"}
        </Link>{" "}
        to {account}
        <Badge>publication</Badge>
      </p>
      <p className="m-0 self-center text-muted">{describeRequestedTime(scheduledFor, studio.timezone)}</p>
    </li>
  );
}
