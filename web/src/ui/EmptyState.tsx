import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** Shown in place of an empty list: what belongs here, and the next step. */
export function EmptyState({
  title,
  icon: Icon,
  children,
  actions,
}: {
  title: string;
  icon: LucideIcon;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-4 py-[clamp(2rem,7vh,5rem)] text-center">
      <span className="mb-4 grid size-12 place-items-center rounded-full bg-hover text-muted">
        <Icon size={22} strokeWidth={1.75} aria-hidden="true" />
      </span>
      <h2 className="text-lg">{title}</h2>
      {children !== undefined && <p className="mt-1.5 text-muted">{children}</p>}
      {actions !== undefined && <p className="mt-5 flex flex-wrap items-center justify-center gap-2">{actions}</p>}
    </div>
  );
}
