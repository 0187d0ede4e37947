import { useState, type ReactNode } from "react";
import { useStudio } from "../../layout/use-studio.ts";
import { resolveLocalTime } from "#portable/zoned-time.ts";
import { TextField } from "../../ui/Field.tsx";
import { formatTime } from "../../ui/format-time.ts";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { requiredTextProps } from "../../ui/required-text.ts";
import { useToast } from "../../ui/Toasts.tsx";
import { useCreateDraft } from "../use-create-draft.ts";
import { suggestTimeAt } from "./calendar-slots.ts";

interface IntendedTime {
  /** In the studio's time zone: `2026-11-15T09:30`. */
  localTime: string;
  /** The same time, as people read it. */
  timeLabel: string;
}

/** The dialog that creates a post for a slot of the calendar; `onCreate` is undefined for users who may not. */
export function useNewPostDialog(): { onCreate: ((slot: string) => void) | undefined; newPostDialog: ReactNode } {
  const { studio, may } = useStudio();
  const showToast = useToast();
  const [intendedTime, setIntendedTime] = useState<IntendedTime>();

  function openDialog(slot: string): void {
    const localTime = suggestTimeAt(slot, studio.timezone);
    const time = resolveLocalTime(localTime ?? "", studio.timezone);
    if (localTime === undefined) showToast({ text: "That time is in the past. Choose a later time." });
    else if (time.kind !== "valid")
      showToast({ text: "Clocks skip this time on that day. Choose an earlier or later time." });
    else setIntendedTime({ localTime, timeLabel: formatTime(time.iso, studio.timezone) });
  }

  return {
    onCreate: may("posts.write") ? openDialog : undefined,
    newPostDialog: intendedTime && <NewPostDialog {...intendedTime} onClose={() => setIntendedTime(undefined)} />,
  };
}

/** Creates a draft and opens it with its intended time. Nothing is scheduled here. */
function NewPostDialog({ localTime, timeLabel, onClose }: IntendedTime & { onClose: () => void }) {
  const createDraft = useCreateDraft();
  const [title, setTitle] = useState("");

  return (
    <FormDialog
      title={`New post for ${timeLabel}`}
      submitLabel="Create draft"
      busyLabel="Creating…"
      onSubmit={() => createDraft({ title }, { at: localTime })}
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
