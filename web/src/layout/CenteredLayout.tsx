import type { ReactNode } from "react";
import { Brand } from "./Brand.tsx";

/** The layout of pages outside of a studio. */
export function CenteredLayout({ children }: { children: ReactNode }) {
  return (
    <main id="main" className="mx-auto max-w-[58rem] px-[clamp(1.25rem,4vw,3rem)] pt-7 pb-16">
      <div className="mb-[clamp(2.5rem,8vw,6rem)]">
        <Brand />
      </div>
      {children}
    </main>
  );
}
