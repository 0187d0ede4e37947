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

export interface BadgeLabelProps {
  isLabelHidden?: boolean;
  labelClassName?: string;
}

/** The stored status of a post, as an icon with its label. */
export const StatusBadge = ({ status, ...label }: BadgeLabelProps & { status: PostStatus }) => (
  <IconBadge icon={statusIcons[status]} label={statusLabels[status].singular} color={statusColors[status]} {...label} />
);

export function IconBadge({
  icon: Icon,
  label,
  color,
  isLabelHidden = false,
  labelClassName = "",
}: BadgeLabelProps & {
  icon: LucideIcon;
  label: string;
  color: string;
}) {
  return (
    <span
      className={`inline-flex flex-none items-center gap-1.5 text-sm whitespace-nowrap ${color}`}
      title={isLabelHidden ? label : undefined}
    >
      <Icon size={16} className="flex-none" aria-hidden="true" />
      <span className={isLabelHidden ? "sr-only" : labelClassName}>{label}</span>
    </span>
  );
}
