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
}: {
  children: ReactNode;
  action?: ReactNode;
  tone?: keyof typeof tones;
}) {
  const [Icon, background, color] = tones[tone];
  return (
    <div
      className={`mb-6 flex flex-wrap items-center justify-between gap-x-6 gap-y-2.5 rounded-lg px-3.5 py-2.5 forced-colors:border ${background}`}
    >
      <p className="m-0 flex flex-[1_1_20rem] gap-2.5">
        <Icon size={18} className={`mt-0.5 flex-none ${color}`} aria-hidden="true" />
        <span className="min-w-0 [overflow-wrap:anywhere]">{children}</span>
      </p>
      {action}
    </div>
  );
}
