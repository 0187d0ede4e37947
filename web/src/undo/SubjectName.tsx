import { Link } from "@tanstack/react-router";
import { useStudio } from "../layout/use-studio.ts";
import { Badge } from "../ui/Badge.tsx";
import type { UndoSubject } from "./labels.ts";

/** The name of a post or file, which links to it unless it is in the trash. */
export function SubjectName({
  type,
  subject: { id, name, isTrashed },
}: {
  type: "post" | "asset";
  subject: UndoSubject;
}) {
  const { studio } = useStudio();
  const file = (
    <Link to="/studios/$studioId/assets" params={{ studioId: studio.id }} search={{ file: id }}>
      {name}
    </Link>
  );
  const post = (
    <Link to="/studios/$studioId/posts/$postId" params={{ studioId: studio.id, postId: id }}>
      {name}
    </Link>
  );
  const link = type === "post" ? post : file;
  return (
    <>
      {isTrashed ? name : link}
      <Badge>{type === "post" ? "post" : "file"}</Badge>
    </>
  );
}
