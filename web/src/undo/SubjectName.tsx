import { Link } from "@tanstack/react-router";
import { useStudio } from "../layout/use-studio.ts";
import { Badge } from "../ui/Badge.tsx";
import { useSubject } from "./use-subject.ts";

/** The name of a post or file. The name of a post links to it, unless it is in the trash. */
export function SubjectName({ type, id }: { type: "post" | "asset"; id: string }) {
  const { studio } = useStudio();
  const { name = "…", isTrashed } = useSubject(type, id);
  return (
    <>
      {type === "post" && !isTrashed ? (
        <Link to="/studios/$studioId/posts/$postId" params={{ studioId: studio.id, postId: id }}>
          {name}
        </Link>
      ) : (
        name
      )}
      <Badge>{type === "post" ? "post" : "file"}</Badge>
    </>
  );
}
