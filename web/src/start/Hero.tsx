import type { ReactNode } from "react";

/** The title of a page outside of a studio, with an introduction and the first step. */
export function Hero({ title, intro, children }: { title: string; intro: string; children: ReactNode }) {
  return (
    <section className="pb-[clamp(3rem,8vw,6rem)]">
      <h1 className="max-w-[18em]">{title}</h1>
      <p className="mt-6 max-w-[38em] text-[1.1rem]">{intro}</p>
      {children}
    </section>
  );
}
