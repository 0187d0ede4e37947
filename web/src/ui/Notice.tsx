import { CircleAlert, CircleCheck, Info, TriangleAlert, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

const tones = {
  info: [Info, "bg-info-wash", "text-info"],
  success: [CircleCheck, "bg-success-wash", "text-success"],
  warning: [TriangleAlert, "bg-warning-wash", "text-warning"],
  danger: [CircleAlert, "bg-danger-wash", "text-danger"],
} as const satisfies Record<string, readonly [LucideIcon, string, string]>;

/** A message about the page, with an optional action. */
export function Notice({
  children,
  action,
  tone = "info",
  isCompact = false,
}: {
  children: ReactNode;
  action?: ReactNode;
  tone?: keyof typeof tones;
  /** Whether the action stays beside the text on a phone, which shows two lines of it. */
  isCompact?: boolean;
}) {
  const [Icon, background, color] = tones[tone];
  return (
    <div
      className={`mb-6 flex flex-wrap items-center justify-between gap-x-6 gap-y-2.5 rounded-lg py-2.5 pr-3.5 pl-10.5 forced-colors:border ${isCompact ? "max-sm:flex-nowrap max-sm:gap-x-2 max-sm:py-1 max-sm:pr-1 max-sm:pl-3.5 max-sm:text-sm" : ""} ${background}`}
    >
      <p className={`relative m-0 ${isCompact ? "min-w-0 flex-1 sm:basis-80" : "flex-[1_1_20rem]"}`}>
        {/* In the padding, so that an action below the text starts where the text does. */}
        <Icon
          size={18}
          className={`absolute top-0.5 -left-7 ${color} ${isCompact ? "max-sm:hidden" : ""}`}
          aria-hidden="true"
        />
        <span className={`min-w-0 [overflow-wrap:anywhere] ${isCompact ? "max-sm:line-clamp-2" : ""}`}>{children}</span>
      </p>
      {action !== undefined && <div>{action}</div>}
    </div>
  );
}
