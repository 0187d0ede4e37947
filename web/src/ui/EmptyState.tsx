import type { ReactNode } from "react";

/** Shown in place of an empty list: what belongs here, and the next step. */
export function EmptyState({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className="max-w-xl py-[clamp(2rem,6vw,4.5rem)]">
      <h2 className="text-2xl">{title}</h2>
      {children !== undefined && <p className="text-muted">{children}</p>}
      {actions !== undefined && <p className="flex flex-wrap gap-3">{actions}</p>}
    </div>
  );
}
