import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { changesSinceQuery, revisionQuery } from "../api/history-queries.ts";
import type { PostStatus } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { EditorController } from "../posts/use-editor.ts";
import { Button } from "../ui/Button.tsx";
import { Disclosure } from "../ui/Disclosure.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { formatActors } from "../ui/format-actor.ts";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { restoreFocusSoon } from "../ui/restore-focus.ts";
import { useAction } from "../ui/use-action.ts";
import { isSameContent, RevisionDiff } from "./RevisionDiff.tsx";

const title = "Changed since it was marked ready";

/**
 * Shows what changed in a post after it was marked ready, and by whom. The user can return it to draft. It is only one
 * line, without buttons, if the user made all changes, or if the post's publications determine its state.
 */
export function ReadyBanner({
  controller,
  readyRevision,
  hasPublications,
}: {
  controller: EditorController;
  readyRevision: number;
  hasPublications: boolean;
}) {
  const { studio, me, may } = useStudio();
  const { post } = controller;
  const revisionWhenReady = useQuery(revisionQuery(studio.id, post.id, readyRevision)).data;
  const changes = useQuery({
    ...changesSinceQuery(studio.id, post.id, readyRevision, post.revision),
    placeholderData: (previous) => previous,
  }).data;
  const { isRunning, error, run } = useAction();
  const [lastChange] = changes ?? [];
  const current = { ...post, assets: post.assets.filter(({ status }) => status === "ready") };
  // A post that was restored, for example from the trash, has new revisions with the same content.
  if (!revisionWhenReady || !changes || !lastChange || isSameContent(revisionWhenReady, current)) return null;
  const areAllOwnChanges = changes.every(({ user, client }) => user?.id === me.user.id && client === null);

  const setStatus = (status: PostStatus) => () =>
    run(async () => {
      await controller.save();
      await controller.saveStatus(status);
      restoreFocusSoon();
    });

  const diff = (
    <div
      className="mt-2 border-l-2 border-rule pl-4 sm:max-h-[70dvh] sm:overflow-auto"
      tabIndex={0}
      role="group"
      aria-label="What changed"
    >
      <RevisionDiff before={revisionWhenReady} after={current} currentAssets={post.assets} />
    </div>
  );
  if (areAllOwnChanges || hasPublications)
    return (
      <section className="mb-4" aria-label={title}>
        <Disclosure summary={`${title}, by ${areAllOwnChanges ? "you" : formatActors(changes)}`}>{diff}</Disclosure>
      </section>
    );

  return (
    <section
      className="mb-8 rounded-lg border border-l-3 border-rule border-l-warning bg-raised p-5"
      aria-labelledby="changed-since-ready"
    >
      <h2 id="changed-since-ready" className="flex items-start gap-2 text-xl">
        <TriangleAlert size={18} className="mt-1 flex-none text-warning" aria-hidden="true" />
        {title}
      </h2>
      <p className="mt-1 text-muted [overflow-wrap:anywhere]">
        Changed by {formatActors(changes)}, last <RelativeTime at={lastChange.at} timezone={studio.timezone} />.
      </p>
      <Disclosure className="mt-3" isOpen summary="What changed">
        {diff}
      </Disclosure>
      {error !== undefined && <ErrorMessage error={error} />}
      {may("posts.write") && (
        <p className="flex flex-wrap gap-3">
          {/* Not primary: the next action at the top of the page is. */}
          <Button variant="secondary" onClick={() => void setStatus("ready")()} disabled={isRunning}>
            Keep ready
          </Button>
          <Button variant="quiet" onClick={() => void setStatus("draft")()} disabled={isRunning}>
            Back to draft
          </Button>
        </p>
      )}
    </section>
  );
}
