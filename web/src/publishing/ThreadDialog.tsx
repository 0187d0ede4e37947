import { Plus, Scissors, Trash2 } from "lucide-react";
import { useState } from "react";
import { splitThread } from "#portable/split-thread.ts";
import { selectForAccount } from "#portable/select-for-account.ts";
import { updatePost } from "../api/mutations.ts";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { changeVariant } from "../posts/change-variant.ts";
import { updateLatestPost } from "../posts/update-latest-post.ts";
import { Button } from "../ui/Button.tsx";
import { TextAreaField } from "../ui/Field.tsx";
import { FormDialog } from "../ui/FormDialog.tsx";
import { TextCount } from "./TextCount.tsx";
import type { Account } from "./use-accounts.ts";

const maxParts = 25;

/** Edits the parts of a thread: the text of one account, and what follows it as replies. */
export function ThreadDialog({
  post,
  account: { connectionId, label, textRule },
  onClose,
}: {
  post: Post;
  account: Account;
  onClose: () => void;
}) {
  const { studio } = useStudio();
  const [initial] = useState(() => selectForAccount(post, connectionId));
  const [parts, setParts] = useState<readonly string[]>([initial.body, ...initial.followUps]);
  const canSplit = textRule !== undefined && parts.length < maxParts;

  async function save(): Promise<void> {
    const [body = "", ...followUps] = parts;
    await updateLatestPost(updatePost, studio.id, post, ({ variants }) => ({
      variants: changeVariant(variants, connectionId, {
        ...(body === initial.body ? {} : { body }),
        followUps: followUps.length === 0 ? undefined : followUps,
      }),
    }));
    onClose();
  }

  const splitPart = (index: number): void => {
    if (!textRule) return;
    const newParts = splitThread(parts[index] ?? "", textRule, maxParts - parts.length + 1);
    setParts(parts.toSpliced(index, 1, ...newParts));
  };

  return (
    <FormDialog title={`Thread on ${label}`} submitLabel="Save" busyLabel="Saving…" onSubmit={save} onClose={onClose}>
      <p className="mt-3 text-muted">
        Each part is published as a reply to the part before. Files go with the first one.
      </p>
      <div className="mt-3">
        {parts.map((text, i) => (
          <div key={i} className="not-first:mt-4">
            <TextAreaField
              label={i === 0 ? "Text" : `Part ${i + 1}`}
              rows={4}
              maxLength={100_000}
              value={text}
              onChange={({ target }) => setParts(parts.with(i, target.value))}
            />
            <div className="mt-1 flex flex-wrap items-center justify-between gap-x-4 text-sm text-muted">
              <TextCount text={text} rule={textRule} />
              <span className="flex gap-1">
                {canSplit && splitThread(text, textRule, 2).length > 1 && (
                  <Button variant="quiet" size="small" icon={Scissors} onClick={() => splitPart(i)}>
                    Split into a thread
                  </Button>
                )}
                {i > 0 && (
                  <Button
                    variant="quiet"
                    size="small"
                    icon={Trash2}
                    aria-label={`Remove part ${i + 1}`}
                    onClick={() => setParts(parts.toSpliced(i, 1))}
                  >
                    Remove
                  </Button>
                )}
              </span>
            </div>
          </div>
        ))}
      </div>
      {parts.length < maxParts && (
        <Button variant="secondary" size="small" icon={Plus} className="mt-4" onClick={() => setParts([...parts, ""])}>
          Add a part
        </Button>
      )}
    </FormDialog>
  );
}
