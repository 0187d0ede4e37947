import type { ReactNode } from "react";

/** The title of a page outside of a studio, with an introduction and the first step. */
export function Hero({
  title,
  intro,
  isLarge = false,
  children,
}: {
  title: string;
  intro: string;
  /** For the start page. */
  isLarge?: boolean;
  children: ReactNode;
}) {
  return (
    <section>
      <h1 className="max-w-[18em]">{title}</h1>
      <p className={isLarge ? "mt-6 max-w-[38em] text-[1.1rem]" : ""}>{intro}</p>
      {children}
    </section>
  );
}
