import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { membersQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { TagField } from "../tags/TagField.tsx";
import { formatActor } from "../ui/format-actor.ts";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import type { EditorController } from "./use-editor.ts";

/** Tags, dates and author of a post. */
export function PostDetails({ editor }: { editor: EditorController }) {
  const { studio, may } = useStudio();
  const { createdBy, createdByClient, createdAt, updatedAt, revision } = editor.post;
  const members = useQuery(membersQuery(studio.id));
  const author = members.data?.members.find(({ userId }) => userId === createdBy);
  const client = createdByClient === null ? null : { name: createdByClient };

  return (
    <section aria-label="Details">
      <TagField
        // Looks like the headings of the other sections.
        label={<span className="-mb-1.5 flex min-h-control items-center font-semibold">Tags</span>}
        tags={editor.tags}
        isReadOnly={!may("posts.write")}
        renderTag={(tag) => (
          <Link
            className="text-ink no-underline hover:text-accent hover:underline pointer-coarse:py-3"
            to="/studios/$studioId/posts"
            params={{ studioId: studio.id }}
            search={{ tag }}
            aria-label={`Show posts with the tag ${tag}`}
          >
            {tag}
          </Link>
        )}
        onChange={(tags) => {
          editor.edit("tags", tags);
          void editor.save();
        }}
      />
      <dl className="mt-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm [&>dd]:first-letter:uppercase [&>dt]:text-muted">
        <dt>Updated</dt>
        <dd>
          <RelativeTime at={updatedAt} timezone={studio.timezone} />,{" "}
          <span className="whitespace-nowrap">revision {revision}</span>
        </dd>
        <dt>Created</dt>
        <dd className="[overflow-wrap:anywhere]">
          <RelativeTime at={createdAt} timezone={studio.timezone} />{" "}
          {members.isSuccess && `by ${formatActor(author, client)}`}
        </dd>
      </dl>
    </section>
  );
}
