import type { LucideIcon } from "lucide-react";

export interface BadgeLabelProps {
  isLabelHidden?: boolean;
  labelClassName?: string;
  /** For all words of the label but the first, such as to hide them where there is no room. */
  restClassName?: string | undefined;
}

/** An icon with its label. */
export function IconBadge({
  icon: Icon,
  label,
  color,
  isLabelHidden = false,
  labelClassName = "",
  restClassName,
}: BadgeLabelProps & {
  icon: LucideIcon;
  label: string;
  color: string;
}) {
  const firstWord = label.split(" ", 1)[0] ?? "";
  return (
    <span
      className={`inline-flex flex-none items-center gap-1.5 text-sm whitespace-nowrap ${color}`}
      title={isLabelHidden ? label : undefined}
    >
      <Icon size={16} className="flex-none" aria-hidden="true" />
      <span className={isLabelHidden ? "sr-only" : labelClassName}>
        {restClassName === undefined ? (
          label
        ) : (
          <>
            {firstWord}
            <span className={restClassName}>{label.slice(firstWord.length)}</span>
          </>
        )}
      </span>
    </span>
  );
}
