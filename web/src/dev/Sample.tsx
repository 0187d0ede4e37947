import type { ReactNode } from "react";

/** One component in its variants. */
export const Sample = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="grid gap-x-6 gap-y-2 border-t border-rule py-4 md:grid-cols-[10rem_minmax(0,1fr)]">
    <h3 className="m-0 font-mono text-sm font-normal text-muted">{name}</h3>
    <div className="flex min-w-0 flex-wrap items-center gap-3">{children}</div>
  </div>
);

export const SampleGroup = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="mt-10">
    <h2 className="mb-3">{title}</h2>
    {children}
  </section>
);
