import { useId, type ReactNode } from "react";

/** A part of a page, with its heading in the left column and a rule above. */
export function Section({
  title,
  className = "",
  children,
}: {
  title: string;
  className?: string;
  children: ReactNode;
}) {
  const headingId = useId();
  return (
    <section
      aria-labelledby={headingId}
      className={`grid grid-cols-1 gap-x-8 gap-y-3 border-t border-rule py-6 sm:grid-cols-[minmax(9rem,3fr)_minmax(0,9fr)] ${className}`}
    >
      <h2 id={headingId}>{title}</h2>
      <div className="min-w-0">{children}</div>
    </section>
  );
}
