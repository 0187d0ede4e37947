import { useState } from "react";
import { ApiError, type AccountProblems } from "../api/api-error.ts";
import { publishPost } from "../api/mutations.ts";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { EditorController } from "../posts/use-editor.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { ChoiceField } from "../ui/Field.tsx";
import { formatExactTime } from "../ui/format-time.ts";
import { FormDialog } from "../ui/FormDialog.tsx";
import { Notice } from "../ui/Notice.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { AccountChoices } from "./AccountChoices.tsx";
import { mayPublishWithoutApproval } from "./may-publish-without-approval.ts";
import { listSentBack } from "./sent-back.ts";
import { suggestLocalTime } from "./TimeField.tsx";
import { useAccounts, type Account } from "./use-accounts.ts";
import { type When, WhenChoice } from "./WhenChoice.tsx";
import { resolveLocalTime, toLocalTime } from "#portable/zoned-time.ts";

/** Outside of the editor, there is nothing to save. */
const savedEditor = { isUnsaved: false, isSaving: false, hasConflict: false };

const approvalHint = "Someone checks it under Approvals on the Publications page before it goes out.";

/** Publishes the revision that the user saw to accounts, now or at a time, or asks for approval. */
export function PublishDialog({
  post,
  editor = savedEditor,
  isScheduling: isInitiallyScheduling,
  asksForApproval: initiallyAsksForApproval = false,
  initialIds,
  initialLocalTime,
  shownRevision,
  onClose,
}: {
  post: Post;
  /** The open editor, whose changes must be saved before the post is published. */
  editor?: Pick<EditorController, "isUnsaved" | "isSaving" | "hasConflict">;
  /** Starts with a time instead of now. */
  isScheduling: boolean;
  /** Asks for approval, although the user may publish without it; otherwise such users can choose it. */
  asksForApproval?: boolean;
  /** The accounts that are chosen at first, if they are available; by default those of `chooseAccounts`. */
  initialIds?: readonly string[];
  /** In the studio's time zone: `2026-11-15T09:30`. */
  initialLocalTime?: string;
  /** The revision that the page shows; by default the saved one when the dialog opens. */
  shownRevision?: number;
  onClose: () => void;
}) {
  const { studio } = useStudio();
  const showToast = useToast();
  const { accounts } = useAccounts(post);
  const availableIds = accounts.filter(({ canPublish }) => canPublish).map((account) => account.connectionId);
  const [changedIds, setChangedIds] = useState(initialIds);
  // The dialog may open before the accounts are loaded, or before the text that they accept is saved.
  const chosenIds = chooseAccounts(accounts, changedIds);
  const [previousTime] = useState(() => findPreviousTime(post, initialIds));
  const [when, setWhen] = useState<When>(isInitiallyScheduling || previousTime !== undefined ? "time" : "now");
  const isScheduling = when !== "now";
  const [localTime, setLocalTime] = useState(
    () =>
      initialLocalTime ??
      (previousTime === undefined
        ? suggestLocalTime(Date.now(), studio.timezone)
        : toLocalTime(previousTime, studio.timezone)),
  );
  const [asksForApproval, setAsksForApproval] = useState(initiallyAsksForApproval);
  const [rejections, setRejections] = useState<readonly AccountProblems[]>([]);
  const connectionIds = chosenIds.filter((id) => availableIds.includes(id));
  const time = resolveLocalTime(localTime, studio.timezone);
  const isPublisher = mayPublishWithoutApproval(studio);
  const needsApproval = asksForApproval || !isPublisher;
  const isSaved = !editor.isUnsaved && !editor.isSaving && !editor.hasConflict;
  const [seenRevision, setSeenRevision] = useState(shownRevision);
  if (seenRevision === undefined && isSaved) setSeenRevision(post.revision);
  const [wasRejectedAsOutdated, setWasRejectedAsOutdated] = useState(false);
  const hasChanged = wasRejectedAsOutdated || (seenRevision !== undefined && post.revision > seenRevision);

  async function publish(): Promise<void> {
    setRejections([]);
    let isProposed: boolean;
    let at: string | undefined = when === "slot" ? "next_slot" : undefined;
    if (when === "time" && time.kind === "valid") at = time.iso;
    try {
      const body = { connectionIds, revision: seenRevision, at, ...(asksForApproval ? { propose: true } : {}) };
      const { publications } = await publishPost({ studioId: studio.id, postId: post.id }, body);
      isProposed = publications.some(({ state }) => state === "proposed");
      if (when === "slot") at = publications[0]?.scheduledFor ?? undefined;
    } catch (error) {
      if (error instanceof ApiError && error.code === "revision_conflict") return setWasRejectedAsOutdated(true);
      throw showRejections(error);
    }
    showToast({ text: describeResult(isProposed, at) });
    onClose();
  }

  /** The studio's rule may have changed since the dialog was opened. */
  function describeResult(isProposed: boolean, at: string | undefined): string {
    // With the rule `clients`, members approve as well.
    if (isProposed)
      return studio.approval === "everyone" ? "Sent for approval to the owners and admins." : "Sent for approval.";
    return at === undefined ? "Publishing now." : `Scheduled for ${formatExactTime(at, studio.timezone)}.`;
  }

  /** Shows the problems of each account; returns the error that the dialog shows. */
  function showRejections(error: unknown): unknown {
    if (!(error instanceof ApiError) || error.accountProblems.length === 0) return error;
    setRejections(error.accountProblems);
    return new ApiError(
      error.status,
      error.code,
      "The post can’t be published to every account you chose. Nothing was sent.",
      "Fix the problems above, or choose other accounts.",
    );
  }

  /** Why the dialog can't be submitted, unless the reason is next to a field. */
  function describeBlocker(): string | undefined {
    if (editor.hasConflict) return "Close this and resolve the conflict in the post first.";
    return isSaved ? undefined : "Saving your changes first…";
  }

  return (
    <FormDialog
      title={getDialogTitle(needsApproval, isScheduling)}
      subtitle={post.title}
      submitLabel={getSubmitLabel(needsApproval, isScheduling)}
      busyLabel="Sending…"
      canSubmit={connectionIds.length > 0 && isSaved && !hasChanged && (when !== "time" || time.kind === "valid")}
      onSubmit={publish}
      onClose={onClose}
    >
      <AccountChoices
        post={post}
        accounts={accounts}
        rejections={rejections}
        chosenIds={connectionIds}
        shownIds={[...(initialIds ?? []), ...chosenIds]}
        onChange={(ids) => {
          setChangedIds(ids);
          setRejections([]);
        }}
        // If there is another change besides the user's own, the revision is higher than the next one.
        onSaveFiles={({ revision }) => setSeenRevision((seen) => (seen === revision - 1 ? revision : seen))}
        hint={availableIds.length > 0 && connectionIds.length === 0 ? "Choose at least one account." : undefined}
      />
      <WhenChoice
        when={when}
        localTime={localTime}
        nowLabel={needsApproval ? "As soon as it is approved" : "Now"}
        connectionIds={availableIds}
        onChange={setWhen}
        onChangeTime={setLocalTime}
      />
      <div className="mt-6">
        {isPublisher && !initiallyAsksForApproval ? (
          <ChoiceField
            type="checkbox"
            label="Ask for approval"
            description={approvalHint}
            checked={asksForApproval}
            onChange={({ target }) => setAsksForApproval(target.checked)}
          />
        ) : (
          <p className="text-muted">
            {isPublisher ? approvalHint : "An owner or admin approves it before it goes out."}
          </p>
        )}
      </div>
      <div className="mt-6 empty:hidden" role="alert">
        {hasChanged && (
          <Notice
            tone="warning"
            action={
              editor === savedEditor ? (
                <ButtonLink
                  variant="secondary"
                  to="/studios/$studioId/posts/$postId"
                  params={{ studioId: studio.id, postId: post.id }}
                >
                  Open post
                </ButtonLink>
              ) : (
                <Button variant="secondary" onClick={onClose}>
                  Show the new version
                </Button>
              )
            }
          >
            The post changed after the version that you saw. Nothing was sent. Check the new version first.
          </Notice>
        )}
      </div>
      <p className="text-sm text-muted empty:hidden" role="status">
        {describeBlocker()}
      </p>
    </FormDialog>
  );
}

/** Until the user changes the choice, the account if there is only one that the post was not published to yet. */
function chooseAccounts(accounts: readonly Account[], changedIds?: readonly string[]): readonly string[] {
  if (changedIds) return changedIds;
  const newAccounts = accounts.filter(({ canPublish, publishedAt }) => canPublish && publishedAt === undefined);
  return newAccounts.length === 1 ? newAccounts.map(({ connectionId }) => connectionId) : [];
}

/** The time of requests that were sent back, if all of them have the same one, and it is not over. */
function findPreviousTime({ publications = [] }: Post, connectionIds: readonly string[] = []): number | undefined {
  const times = listSentBack(publications)
    .filter(({ connectionId }) => connectionIds.includes(connectionId))
    .map(({ scheduledFor }) => Date.parse(scheduledFor ?? ""));
  const [time = 0] = times;
  return time > Date.now() && times.every((other) => other === time) ? time : undefined;
}

export function getDialogTitle(needsApproval: boolean, isScheduling: boolean): string {
  if (needsApproval) return "Ask for approval";
  return isScheduling ? "Schedule post" : "Publish post";
}

function getSubmitLabel(needsApproval: boolean, isScheduling: boolean): string {
  if (needsApproval) return "Ask for approval";
  return isScheduling ? "Schedule" : "Publish now";
}
