import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { createPost } from "../../api/mutations.ts";
import { useStudio } from "../../layout/use-studio.ts";
import { TextField } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { requiredTextProps } from "../../ui/required-text.ts";

/** Creates a draft that is meant for a time. The post page offers to schedule it; nothing is scheduled here. */
export function NewPostDialog({
  localTime,
  timeLabel,
  onClose,
}: {
  /** In the studio's time zone: `2026-11-15T09:30`. */
  localTime: string;
  /** The same time, as people read it. */
  timeLabel: string;
  onClose: () => void;
}) {
  const { studio } = useStudio();
  const navigate = useNavigate();
  const [title, setTitle] = useState("");
  // One key per dialog, so that a repeated submission creates one post.
  const [key] = useState(() => crypto.randomUUID());

  async function create(): Promise<void> {
    const post = await createPost(studio.id, { title, idempotencyKey: `${key} ${title}`.slice(0, 200) });
    await navigate({
      to: "/studios/$studioId/posts/$postId",
      params: { studioId: studio.id, postId: post.id },
      search: { at: localTime },
      state: { isNewPost: true },
    });
  }

  return (
    <FormDialog
      title={`New post for ${timeLabel}`}
      submitLabel="Create draft"
      busyLabel="Creating…"
      onSubmit={create}
      onClose={onClose}
    >
      <div className="mt-4">
        <TextField
          label="Title"
          hint="You choose the accounts when you schedule it."
          value={title}
          onChange={({ target }) => setTitle(target.value)}
          maxLength={300}
          {...requiredTextProps}
        />
      </div>
    </FormDialog>
  );
}
