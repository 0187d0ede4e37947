import type { LucideIcon } from "lucide-react";

export interface BadgeLabelProps {
  isLabelHidden?: boolean;
  labelClassName?: string;
}

/** An icon with its label. */
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
