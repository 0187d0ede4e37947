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
      className={`mb-6 flex flex-wrap items-center justify-between gap-x-6 gap-y-2.5 rounded-lg px-3.5 py-2.5 forced-colors:border ${isCompact ? "max-sm:flex-nowrap max-sm:gap-x-2 max-sm:py-1 max-sm:pr-1 max-sm:text-sm" : ""} ${background}`}
    >
      <p className={`m-0 flex gap-2.5 ${isCompact ? "min-w-0 flex-1 sm:basis-80" : "flex-[1_1_20rem]"}`}>
        <Icon
          size={18}
          className={`mt-0.5 flex-none ${color} ${isCompact ? "max-sm:hidden" : ""}`}
          aria-hidden="true"
        />
        <span className={`min-w-0 [overflow-wrap:anywhere] ${isCompact ? "max-sm:line-clamp-2" : ""}`}>{children}</span>
      </p>
      {/* On a phone, the action is below the text, not below the icon. */}
      {action !== undefined && <div className={isCompact ? "" : "max-sm:ml-7"}>{action}</div>}
    </div>
  );
}
