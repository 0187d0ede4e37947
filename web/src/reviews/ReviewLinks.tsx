import { useQuery } from "@tanstack/react-query";
import { Share2 } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { withdrawReviewLink } from "../api/mutations.ts";
import { type Post, reviewLinksQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { useConfirm } from "../ui/Confirm.tsx";
import { formatActor, formatGuest } from "../ui/format-actor.ts";
import { List, ListRow } from "../ui/List.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";

const ShareForReviewDialog = lazy(async () => ({
  default: (await import("./ShareForReviewDialog.tsx")).ShareForReviewDialog,
}));

const ChangesSince = lazy(async () => ({ default: (await import("./ChangesSince.tsx")).ChangesSince }));

const decisionTexts = {
  approved: "Approved",
  changes_requested: "Changes asked for",
  outdated: "Changed since the decision",
} as const;

/** The review links of a post: who saw it when, and what they decided. */
export function ReviewLinks({ post }: { post: Post }) {
  const postId = post.id;
  const { studio, me, may } = useStudio();
  const confirm = useConfirm();
  const { data } = useQuery(reviewLinksQuery(studio.id, postId));
  const [isSharing, setIsSharing] = useState(false);
  // A hold outlives the link, so that its end is visible only here.
  const links = (data?.reviewLinks ?? []).filter(
    ({ state, holdsPublishing, decisions }) =>
      state !== "withdrawn" && (state === "open" || holdsPublishing || decisions.length > 0),
  );
  const timezone = studio.timezone;
  const confirmWithdrawal = (linkId: string, holdsPublishing: boolean): void =>
    confirm({
      title: "Withdraw this review link?",
      body: (
        <p>
          It stops working immediately.{holdsPublishing && " Publishing no longer waits for this review."} Decisions and
          comments stay.
        </p>
      ),
      action: "Withdraw",
      busyLabel: "Withdrawing…",
      run: () => withdrawReviewLink({ studioId: studio.id, linkId }),
    });

  return (
    <section aria-label="Reviews" className="mt-4">
      <div className="flex min-h-control items-center gap-2">
        <h2 className="m-0 mr-auto text-base font-semibold">Reviews</h2>
        {may("posts.write") && post.status !== "archived" && (
          <Button variant="secondary" size="small" icon={Share2} onClick={() => setIsSharing(true)}>
            Share for review…
          </Button>
        )}
      </div>
      {links.length > 0 && (
        <List className="border-b-0 text-sm" aria-label="Review links">
          {links.map(
            ({ id, createdBy, client, expiresAt, state, holdsPublishing, lastViewedAt, viewCount, decisions }) => {
              const decision = decisions.find((each) => each.postId === postId);
              const isHolding = holdsPublishing && decision?.state !== "approved";
              return (
                <ListRow key={id} isActionBeside>
                  <div className="min-w-0 [overflow-wrap:anywhere]">
                    <p className="m-0 font-medium">
                      {decision ? decisionTexts[decision.state] : "Waits for a decision"}
                      {isHolding && ", publishing waits"}
                    </p>
                    {decision && (
                      <p className="m-0">
                        {formatGuest(decision, client)}, <RelativeTime at={decision.at} timezone={timezone} />
                        {decision.comment !== null && (
                          <span dir="auto" className="block whitespace-pre-wrap">
                            “{decision.comment}”
                          </span>
                        )}
                        {decision.state === "outdated" && (
                          <span className="block text-muted">About revision {decision.revision}.</span>
                        )}
                      </p>
                    )}
                    {decision?.state === "outdated" && (
                      <Suspense>
                        <ChangesSince post={post} revision={decision.revision} />
                      </Suspense>
                    )}
                    <p className="m-0 text-muted">
                      Link by {formatActor(createdBy, client)},{" "}
                      {state === "open" ? (
                        <>
                          expires <RelativeTime at={expiresAt} timezone={timezone} />
                        </>
                      ) : (
                        state
                      )}
                      .{" "}
                      {lastViewedAt === null ? (
                        "Not viewed yet."
                      ) : (
                        <>
                          Viewed {viewCount === 1 ? "once" : `${viewCount} times`}, last{" "}
                          <RelativeTime at={lastViewedAt} timezone={timezone} />.
                        </>
                      )}
                    </p>
                  </div>
                  {(createdBy.id === me.user.id || may("reviews.withdrawAny")) && (
                    <Button
                      variant="secondary"
                      size="small"
                      onClick={() => confirmWithdrawal(id, holdsPublishing)}
                      aria-label={`Withdraw the review link by ${formatActor(createdBy, client)}`}
                    >
                      Withdraw
                    </Button>
                  )}
                </ListRow>
              );
            },
          )}
        </List>
      )}
      {isSharing && (
        <Suspense>
          <ShareForReviewDialog postIds={[postId]} onClose={() => setIsSharing(false)} />
        </Suspense>
      )}
    </section>
  );
}
