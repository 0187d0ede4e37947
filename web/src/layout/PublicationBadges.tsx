import { lazy, Suspense } from "react";
import { ProposalBadge } from "../publishing/ProposalBadge.tsx";

/** Loaded on demand, so that the first page does not wait for it. If that fails, the page works without it. */
const AttentionBadge = lazy(async () => ({
  default: await import("../publishing/AttentionBadge.tsx").then(
    (module) => module.AttentionBadge,
    () => () => null,
  ),
}));

/** How many publications wait for the user. */
export const PublicationBadges = () => (
  <>
    <ProposalBadge />
    <Suspense>
      <AttentionBadge />
    </Suspense>
  </>
);
