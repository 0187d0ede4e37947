import { Link } from "@tanstack/react-router";
import { useStudio } from "../layout/use-studio.ts";

/** Says that an approver asked for changes, with a link to the comments. */
export function SentBackNote({ postId }: { postId: string }) {
  const { studio } = useStudio();
  return (
    <>
      Changes were asked for.{" "}
      <Link
        to="/studios/$studioId/posts/$postId"
        params={{ studioId: studio.id, postId }}
        search={{ panel: "comments" }}
      >
        See the comments
      </Link>
    </>
  );
}
