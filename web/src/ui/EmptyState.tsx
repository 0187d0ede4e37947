import type { ReactNode } from "react";

/** Nothing is here yet: what would be, and how to begin. */
export function EmptyState({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="empty">
      <h2 className="text-2xl">{title}</h2>
      {children}
    </div>
  );
}
