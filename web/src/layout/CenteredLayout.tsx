import type { ReactNode } from "react";
import { Brand } from "./Brand.tsx";

const layoutClasses = {
  wide: "max-w-[56rem] px-[clamp(1.25rem,4vw,3rem)] pt-6 [&_h1]:text-[clamp(1.9rem,1.4rem+2vw,2.5rem)]/[1.15]",
  // As in pages.css.
  narrow:
    "max-w-[34rem] px-[clamp(1.25rem,5vw,1.5rem)] pt-[clamp(1.5rem,6vw,5rem)] text-[1rem] [&_h1]:text-[clamp(1.6rem,1.4rem+1.2vw,2rem)]/[1.2]",
};

/** The layout of pages outside of a studio. All but the start page look like those that the server renders. */
export function CenteredLayout({ isWide = false, children }: { isWide?: boolean; children: ReactNode }) {
  return (
    <main id="main" className={`mx-auto pb-16 ${isWide ? layoutClasses.wide : layoutClasses.narrow}`}>
      <div className={isWide ? "mb-[clamp(2.5rem,7vw,5rem)]" : "-mt-1 mb-9 flex"}>
        <Brand />
      </div>
      {children}
    </main>
  );
}

/** Buttons of equal size, side by side if there is room. */
export function CenteredActions({ children }: { children: ReactNode }) {
  return <p className="mt-6 flex flex-wrap gap-3 *:min-h-11 *:flex-[1_1_12rem] *:text-[1rem]">{children}</p>;
}
