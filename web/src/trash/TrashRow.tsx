import { Images, Newspaper } from "lucide-react";
import { useState } from "react";
import type { TrashItem } from "../api/history-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { formatActor } from "../ui/format-actor.ts";
import { ListRow, RowActions } from "../ui/List.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { useRestoreFromTrash } from "./use-restore-from-trash.ts";

const types = { post: ["Post", Newspaper], asset: ["File", Images] } as const;

export function TrashRow({ item }: { item: TrashItem }) {
  const { studio, may } = useStudio();
  const restore = useRestoreFromTrash();
  const [isRestoring, setIsRestoring] = useState(false);
  const { id, type, title, deletedAt, deletedBy, deletedThrough, expiresAt } = item;
  const [typeLabel, TypeIcon] = types[type];
  return (
    <ListRow isActionBeside>
      <div className="flex min-w-0 items-center gap-3">
        <span className="grid size-9 flex-none place-items-center rounded-sm bg-hover text-muted" title={typeLabel}>
          <TypeIcon size={16} strokeWidth={1.5} aria-hidden="true" />
        </span>
        <div className="min-w-0">
          <p className="m-0 font-medium [overflow-wrap:anywhere]">
            <span className="sr-only">{typeLabel}: </span>
            {title}
          </p>
          <p className="mt-0 text-muted [overflow-wrap:anywhere] max-sm:text-sm">
            Deleted <RelativeTime at={deletedAt} timezone={studio.timezone} /> by{" "}
            {formatActor(deletedBy, deletedThrough === null ? null : { name: deletedThrough })}
            <span className="max-sm:hidden"> · </span>
            <span className="whitespace-nowrap max-sm:block">{formatDaysLeft(expiresAt)}</span>
          </p>
        </div>
      </div>
      {may(type === "post" ? "posts.write" : "assets.write") && (
        <RowActions>
          <Button
            variant="quiet"
            busyLabel={isRestoring && "Restoring…"}
            onClick={() => {
              setIsRestoring(true);
              void restore(id).finally(() => setIsRestoring(false));
            }}
            aria-label={`Restore ${title}`}
          >
            Restore
          </Button>
        </RowActions>
      )}
    </ListRow>
  );
}

const dayMs = 86_400_000;

function formatDaysLeft(expiresAt: string): string {
  const days = (Date.parse(expiresAt) - Date.now()) / dayMs;
  if (days < 1) return "Less than a day left";
  return days < 1.5 ? "1 day left" : `${Math.round(days)} days left`;
}
