import { lazy, Suspense, type ReactNode } from "react";

/** Loaded on demand, so that the first page does not wait for them. If that fails, the page works without them. */
const Proposals = lazyBadge(async () => (await import("../publishing/ProposalBadge.tsx")).ProposalBadge);
const Attention = lazyBadge(async () => (await import("../publishing/AttentionBadge.tsx")).AttentionBadge);
const TotalBadge = lazyBadge(async () => (await import("../publishing/TotalBadge.tsx")).TotalBadge);

function lazyBadge(load: () => Promise<() => ReactNode>) {
  return lazy(async () => ({ default: await load().catch(() => () => null) }));
}

/** How many publications wait for the user's approval. */
export const ProposalBadge = () => (
  <Suspense>
    <Proposals />
  </Suspense>
);

/** How many publications need the user's attention. */
export const AttentionBadge = () => (
  <Suspense>
    <Attention />
  </Suspense>
);

/** Both as one number, for a button that opens the navigation. */
export const PublicationTotal = () => (
  <Suspense>
    <TotalBadge />
  </Suspense>
);
