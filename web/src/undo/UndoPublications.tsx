import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { UndoResult } from "../api/history-queries.ts";
import { publicationQuery } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { getPostTitle } from "../publishing/publication-states.ts";
import { Badge } from "../ui/Badge.tsx";
import { describePublicationUndo } from "./labels.ts";

type AffectedPublication = UndoResult["publications"][number];

/** The publications that a client requested: canceled by an undo if they have not started, otherwise kept. */
export function UndoPublications({
  publications,
  isDone,
  rowClassName,
  nameClassName,
}: {
  publications: readonly AffectedPublication[];
  isDone: boolean;
  rowClassName: string;
  nameClassName: string;
}) {
  return publications.map(({ id, state }) => (
    <li key={id} className={rowClassName}>
      <p className={nameClassName}>
        <PublicationName id={id} />
      </p>
      <p className="m-0 self-center text-muted">{describePublicationUndo(state, isDone)}</p>
    </li>
  ));
}

function PublicationName({ id }: { id: string }) {
  const { studio } = useStudio();
  const { data } = useQuery(publicationQuery(studio.id, id));
  return (
    <>
      <Link to="/studios/$studioId/publications/$publicationId" params={{ studioId: studio.id, publicationId: id }}>
        {getPostTitle(data)}
      </Link>
      {data && ` to ${data.account}`}
      <Badge>publication</Badge>
    </>
  );
}
