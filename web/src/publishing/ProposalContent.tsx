import type { Publication, PublicationDetail } from "../api/publication-queries.ts";
import type { Asset, Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { findCrop, getRenditionUrl } from "../preview/get-rendition-url.ts";
import { Disclosure } from "../ui/Disclosure.tsx";
import { isSameContent, toSnapshot } from "./account-snapshot.ts";
import { describeFileChoice } from "./describe-file-choice.ts";
import { SentContent } from "./SentContent.tsx";

export interface PreviousProposal extends Publication {
  /** The revision of the post that the user sees there; undefined while it loads. */
  shownRevision: number | undefined;
}

/** What a proposal will send. Collapsed if a proposal above it sends the same. */
export function ProposalContent({
  publication,
  previousProposals,
  post,
  currentAssets,
  isCompact,
}: {
  publication: PublicationDetail;
  previousProposals: readonly PreviousProposal[];
  /** The revision that the user reviews. */
  post: Post;
  currentAssets: readonly Asset[];
  isCompact: boolean;
}) {
  const { studio } = useStudio();
  const { postId, connectionId, platform, includesTitle } = publication;
  const snapshot = toSnapshot(post, publication);
  const { title, body, assets, extras } = snapshot;
  const readyCount = post.assets.filter((asset) => asset.status === "ready").length;
  const content = (
    <>
      {assets.length < readyCount && (
        <p className="m-0 mb-2 text-sm text-muted">
          This account gets {describeFileChoice(assets.length, readyCount)}.
        </p>
      )}
      <SentContent
        title={includesTitle ? title : null}
        text={body}
        extras={extras}
        assets={assets}
        currentAssets={currentAssets}
        getRenditionUrl={(assetId) =>
          getRenditionUrl(
            { studioId: studio.id, postId, connectionId },
            assetId,
            findCrop(post, assetId, platform),
            assets.length,
          )
        }
        isCompact={isCompact}
      />
    </>
  );
  // Another platform receives other images.
  const sameProposal = previousProposals.find(
    (previous) =>
      previous.postId === postId &&
      previous.platform === platform &&
      previous.shownRevision === post.revision &&
      isSameContent(toSnapshot(post, { ...publication, connectionId: previous.connectionId }), snapshot),
  );
  if (!sameProposal) return content;
  return (
    // The margins keep the target for fingers large without moving what is above and below.
    <Disclosure
      className="pointer-coarse:[&>summary]:-my-3"
      summary={`Same content as for ${sameProposal.account} above`}
    >
      <div className="mt-3">{content}</div>
    </Disclosure>
  );
}
