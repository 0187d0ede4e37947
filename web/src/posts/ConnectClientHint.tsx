import { Link } from "@tanstack/react-router";
import { clientsQuery } from "../api/queries.ts";
import { usePagedList } from "../api/use-paged-list.ts";
import { useStudio } from "../layout/use-studio.ts";

/** Suggests the next step to a new user until an AI client is connected. */
export function ConnectClientHint() {
  const { studio } = useStudio();
  const { query, items } = usePagedList(clientsQuery(studio.id, { ended: "false" }));
  if (!query.isSuccess || items.length > 0) return null;
  return (
    <p className="mt-8 text-muted">
      No AI clients connected yet.{" "}
      <Link to="/studios/$studioId/connect" params={{ studioId: studio.id }}>
        Connect one
      </Link>{" "}
      and ask it to work on these posts.
    </p>
  );
}
