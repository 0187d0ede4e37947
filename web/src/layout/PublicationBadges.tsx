import { lazy, Suspense, type ReactNode } from "react";

/** Loaded on demand, so that the first page does not wait for them. If that fails, the page works without them. */
const ProposalBadge = lazyBadge(async () => (await import("../publishing/ProposalBadge.tsx")).ProposalBadge);
const AttentionBadge = lazyBadge(async () => (await import("../publishing/AttentionBadge.tsx")).AttentionBadge);
const TotalBadge = lazyBadge(async () => (await import("../publishing/TotalBadge.tsx")).TotalBadge);

function lazyBadge(load: () => Promise<() => ReactNode>) {
  return lazy(async () => ({ default: await load().catch(() => () => null) }));
}

/** How many publications wait for the user. */
export const PublicationBadges = () => (
  <Suspense>
    <ProposalBadge />
    <AttentionBadge />
  </Suspense>
);

/** The same as one number, for a button that opens the navigation. */
export const PublicationTotal = () => (
  <Suspense>
    <TotalBadge />
  </Suspense>
);
