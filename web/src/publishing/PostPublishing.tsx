import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { AccountPreviews } from "../preview/AccountPreviews.tsx";
import type { DraftController } from "../posts/use-draft.ts";
import { Button } from "../ui/Button.tsx";
import { List } from "../ui/List.tsx";
import { AccountTexts } from "./AccountTexts.tsx";
import { PublicationRow } from "./PublicationRow.tsx";
import { PublishDialog } from "./PublishDialog.tsx";
import { useAccounts } from "./use-accounts.ts";

/** The number of publications on the post page; the Publications page shows all. */
const maxShown = 10;

/** Publishes a post, edits the text per account, and shows the post's publications. */
export function PostPublishing({ post, controller }: { post: Post; controller: DraftController }) {
  const { studio, may } = useStudio();
  const { accounts, isLoaded } = useAccounts(post);
  const [openDialog, setOpenDialog] = useState<"publish" | "schedule">();
  const isArchived = post.status === "archived";
  const { publications = [] } = post;
  const hasAccounts = accounts.length > 0;

  function openWith(dialog: "publish" | "schedule"): void {
    void controller.save();
    setOpenDialog(dialog);
  }

  return (
    <section className="mt-12 border-t border-rule pt-8" aria-labelledby="publishing">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h2 id="publishing" className="text-2xl">
          Publishing
        </h2>
        {hasAccounts && !isArchived && may("publications.request") && (
          <div className="flex flex-wrap gap-3">
            <Button variant="primarySmall" onClick={() => openWith("publish")}>
              Publish…
            </Button>
            <Button variant="quiet" onClick={() => openWith("schedule")}>
              Schedule…
            </Button>
          </div>
        )}
      </div>
      {isLoaded && !hasAccounts && (
        <p className="mt-0 text-muted">
          No account to publish to.{" "}
          {may("platforms.connect") ? (
            <>
              Connect one on the{" "}
              <Link to="/studios/$studioId/platforms" params={{ studioId: studio.id }}>
                Platforms page
              </Link>
              .
            </>
          ) : (
            "Ask an owner or admin to connect one."
          )}
        </p>
      )}
      {isArchived && hasAccounts && (
        <p className="mt-0 text-muted">Archived posts can’t be published. Restore it as a draft first.</p>
      )}
      {publications.length > 0 && (
        <List aria-label="Publications of this post">
          {publications.slice(0, maxShown).map((publication) => (
            <PublicationRow key={publication.id} publication={publication} />
          ))}
        </List>
      )}
      {hasAccounts && publications.length === 0 && !isArchived && (
        <p className="mt-0 text-muted">Not published yet. Publish it now, or choose a time.</p>
      )}
      {publications.length > maxShown && (
        <p>
          <Link to="/studios/$studioId/publications" params={{ studioId: studio.id }} search={{ postId: post.id }}>
            Show all publications of this post
          </Link>
        </p>
      )}
      {hasAccounts && <AccountTexts post={post} controller={controller} accounts={accounts} />}
      <AccountPreviews post={post} controller={controller} accounts={accounts} />
      {openDialog !== undefined && (
        <PublishDialog
          post={post}
          controller={controller}
          isScheduling={openDialog === "schedule"}
          onClose={() => setOpenDialog(undefined)}
        />
      )}
    </section>
  );
}
