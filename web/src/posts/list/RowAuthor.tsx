import type { PostSummary } from "../../api/summary-queries.ts";
import { Avatar } from "../../ui/Avatar.tsx";
import { formatActor } from "../../ui/format-actor.ts";

/** Who created the post, in a column; an AI client stands above the person that it acted for, or alone in one line. */
export function RowAuthor({
  post: { createdBy, createdByClient },
  isCompact,
  className,
}: {
  post: PostSummary;
  /** Whether there is room for only one line. */
  isCompact: boolean;
  className: string;
}) {
  const client = createdByClient === null ? null : { name: createdByClient };
  const actor = formatActor(createdBy, client);
  return (
    <span className={`flex min-w-0 items-center gap-2 text-sm ${className}`} title={actor}>
      <Avatar name={createdBy.name} client={client} size="small" />
      <span className="min-w-0 @max-5xl:sr-only">
        <span className="block truncate">{client?.name ?? actor}</span>
        {client && (
          <span className={isCompact ? "sr-only" : "block truncate text-xs text-muted"}>
            <span className="sr-only">, </span>for {formatActor(createdBy)}
          </span>
        )}
      </span>
    </span>
  );
}

/** The same in a narrow row: the avatar, and beside it the name of the AI client or the person if there is room. */
export function NarrowAuthor({
  post: { createdBy, createdByClient },
  hasName = false,
}: {
  post: PostSummary;
  hasName?: boolean;
}) {
  const client = createdByClient === null ? null : { name: createdByClient };
  const actor = formatActor(createdBy, client);
  return (
    <span className="relative inline-flex min-w-0 items-center gap-1.5 text-sm text-muted" title={actor}>
      <Avatar name={createdBy.name} client={client} size="small" />
      {hasName && (
        <span className="max-w-32 truncate" aria-hidden="true">
          {client?.name ?? createdBy.name}
        </span>
      )}
      <span className="sr-only">{actor}</span>
    </span>
  );
}
