import { Link } from "@tanstack/react-router";
import { useStudio } from "../layout/use-studio.ts";
import { Badge } from "../ui/Badge.tsx";
import type { UndoSubject } from "./labels.ts";

/** The name of a post or file. The name of a post links to it, unless it is in the trash. */
export function SubjectName({
  type,
  subject: { id, name, isTrashed },
}: {
  type: "post" | "asset";
  subject: UndoSubject;
}) {
  const { studio } = useStudio();
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
