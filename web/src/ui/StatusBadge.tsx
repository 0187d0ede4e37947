import { Archive, CircleCheck, CircleDashed, type LucideIcon } from "lucide-react";
import type { PostStatus } from "../api/queries.ts";
import { statusLabels } from "../posts/status-labels.ts";

export const statusIcons: Record<PostStatus, LucideIcon> = {
  draft: CircleDashed,
  ready: CircleCheck,
  archived: Archive,
};

export const statusColors: Record<PostStatus, string> = {
  draft: "text-muted",
  ready: "text-success",
  archived: "text-muted",
};

/** The status of a post, as an icon with its label. */
export function StatusBadge({
  status,
  isLabelHidden = false,
  labelClassName = "",
}: {
  status: PostStatus;
  isLabelHidden?: boolean;
  labelClassName?: string;
}) {
  const Icon = statusIcons[status];
  const label = statusLabels[status].singular;
  return (
    <span
      className={`inline-flex flex-none items-center gap-1.5 text-sm whitespace-nowrap ${statusColors[status]}`}
      title={isLabelHidden ? label : undefined}
    >
      <Icon size={16} className="flex-none" aria-hidden="true" />
      <span className={isLabelHidden ? "sr-only" : labelClassName}>{label}</span>
    </span>
  );
}
