import type { ReactNode } from "react";
import { Brand } from "./Brand.tsx";

/** The layout of pages outside of a studio. */
export function CenteredLayout({ children }: { children: ReactNode }) {
  return (
    <main
      id="main"
      className="mx-auto max-w-[56rem] px-[clamp(1.25rem,4vw,3rem)] pt-6 pb-16 [&_h1]:text-[clamp(1.6rem,1.4rem+1.2vw,2rem)]/[1.2]"
    >
      <div className="mb-[clamp(2.5rem,7vw,5rem)]">
        <Brand />
      </div>
      {children}
    </main>
  );
}
