import { useQuery } from "@tanstack/react-query";
import { revisionQuery } from "../api/history-queries.ts";
import type { PublicationDetail } from "../api/publication-queries.ts";
import { postQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { toSnapshot } from "./account-snapshot.ts";
import { formatExtras } from "./format-extras.ts";
import { SentContent } from "./SentContent.tsx";

/** Shows the sent content; before it is sent, the post at the revision that will be sent. */
export function PublicationContent({ publication }: { publication: PublicationDetail }) {
  const { studio } = useStudio();
  const { postId, sent, includesTitle } = publication;
  const isPostDeleted = publication.postTitle === null;
  const revision = useQuery({
    ...revisionQuery(studio.id, postId, publication.revision),
    enabled: !sent && !isPostDeleted,
    retry: false,
  });
  const post = useQuery({
    ...postQuery(studio.id, postId),
    enabled: !isPostDeleted,
    retry: false,
  });
  const currentAssets = post.data?.assets ?? [];
  if (sent) return <SentContent {...sent} extras={formatExtras(sent)} currentAssets={currentAssets} />;
  if (isPostDeleted) return <p className="m-0">The post is in the trash. Restore it to see its content.</p>;
  if (!revision.data) return <QueryStatus query={revision} />;
  const { title, body, assets, extras } = toSnapshot(revision.data, publication);
  return (
    <SentContent
      title={includesTitle ? title : null}
      text={body}
      extras={extras}
      assets={assets}
      currentAssets={currentAssets}
    />
  );
}
