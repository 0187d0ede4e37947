import { useQuery } from "@tanstack/react-query";
import { revisionQuery } from "../api/history-queries.ts";
import type { Publication } from "../api/publication-queries.ts";
import { postQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { SentContent } from "./SentContent.tsx";
import { getTextFor } from "./use-accounts.ts";

/** The post at the revision that the publication sends or sent. */
export function PublicationContent({ publication }: { publication: Publication }) {
  const { studio } = useStudio();
  const { postId, connectionId, revision: number } = publication;
  const revision = useQuery({ ...revisionQuery(studio.id, postId, number), retry: false });
  const currentAssets = useQuery({ ...postQuery(studio.id, postId), refetchInterval: false, retry: false }).data
    ?.assets;
  if (!revision.data) return <QueryStatus query={revision} />;
  return (
    <SentContent
      text={getTextFor(revision.data, connectionId)}
      assets={revision.data.assets}
      currentAssets={currentAssets ?? []}
    />
  );
}
