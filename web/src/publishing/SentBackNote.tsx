import { Link } from "@tanstack/react-router";
import type { Publication } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";

/** Says that an approver asked for changes, with a link to the comments. */
export function SentBackNote({ publication }: { publication: Publication }) {
  const { studio } = useStudio();
  return (
    <>
      Changes were asked for.{" "}
      {publication.postTitle !== null && (
        <Link
          to="/studios/$studioId/posts/$postId"
          params={{ studioId: studio.id, postId: publication.postId }}
          search={{ panel: "comments" }}
        >
          See the comments
        </Link>
      )}
    </>
  );
}
