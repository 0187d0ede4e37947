import type { ReactNode } from "react";

/** A highlighted message, with an optional action. */
export function Notice({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="mb-10 flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-l-3 border-accent bg-wash px-4 py-3.5">
      <p className="m-0 flex-[1_1_20rem]">{children}</p>
      {action}
    </div>
  );
}
