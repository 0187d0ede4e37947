import type { ReactNode } from "react";

/** Shown in place of an empty list: what belongs here, and the next step. */
export function EmptyState({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="empty">
      <h2 className="text-2xl">{title}</h2>
      {children}
    </div>
  );
}
