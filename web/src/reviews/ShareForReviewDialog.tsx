import { useState } from "react";
import { shareForReview } from "../api/mutations.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Checkbox } from "../ui/Checkbox.tsx";
import { SelectField, TextAreaField } from "../ui/Field.tsx";
import { FormDialog } from "../ui/FormDialog.tsx";
import { LinkDialog } from "../ui/LinkDialog.tsx";

const lifetimes = [
  ["1", "1 day"],
  ["7", "7 days"],
  ["14", "14 days"],
  ["30", "30 days"],
] as const;

/** Creates a review link for these posts, and shows it once. */
export function ShareForReviewDialog({ postIds, onClose }: { postIds: readonly string[]; onClose: () => void }) {
  const { studio } = useStudio();
  const [message, setMessage] = useState("");
  const [expiresInDays, setExpiresInDays] = useState("7");
  const [holdsPublishing, setHoldsPublishing] = useState(false);
  const [url, setUrl] = useState<string>();
  if (url !== undefined)
    return (
      <LinkDialog
        title="Send this review link"
        label="Review link"
        url={url}
        lossText="It won’t be shown again. You can withdraw it on the post, and create another one."
        onClose={onClose}
      >
        Anyone with this link can see {postIds.length === 1 ? "the post" : "these posts"}, comment and decide; no
        account needed. Copy it now: it won’t be shown again.
      </LinkDialog>
    );
  return (
    <FormDialog
      title="Share for review"
      subtitle={postIds.length === 1 ? undefined : `${postIds.length} posts`}
      submitLabel="Create link"
      busyLabel="Creating…"
      onSubmit={async () => {
        const input = { postIds: [...postIds], message, expiresInDays: Number(expiresInDays), holdsPublishing };
        setUrl((await shareForReview({ studioId: studio.id }, input)).url);
      }}
      onClose={onClose}
    >
      <p className="text-muted">
        Someone without an account sees how each account will show {postIds.length === 1 ? "the post" : "the posts"},
        and approves it or asks for changes.
      </p>
      <TextAreaField
        label="Message (optional)"
        rows={3}
        maxLength={2000}
        value={message}
        onChange={(event) => setMessage(event.target.value)}
      />
      <SelectField
        label="The link works for"
        options={lifetimes}
        value={expiresInDays}
        onChange={(event) => setExpiresInDays(event.target.value)}
      />
      <div className="mt-4">
        <Checkbox label="Publishing waits for this review" checked={holdsPublishing} onChange={setHoldsPublishing} />
        <p className="mt-1 text-sm text-muted">
          Nothing is scheduled until the guest approves the current content. What is scheduled now needs approval again.
        </p>
      </div>
    </FormDialog>
  );
}
