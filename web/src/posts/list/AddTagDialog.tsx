import { useState } from "react";
import { parseNewTags } from "../../tags/parse-new-tags.ts";
import { TagInput } from "../../tags/TagInput.tsx";
import { Field } from "../../ui/Field.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";

/** Asks for one tag to add to all selected posts. */
export function AddTagDialog({
  count,
  sharedTags,
  onAdd,
  onClose,
}: {
  count: number;
  /** The tags that all selected posts have. */
  sharedTags: readonly string[];
  onAdd: (tag: string) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState("");
  const { addedTags, error } = parseNewTags([], text);
  const [tag] = addedTags;
  return (
    <FormDialog
      title={count === 1 ? "Add a tag to 1 post" : `Add a tag to ${count} posts`}
      submitLabel="Add tag"
      busyLabel="Adding…"
      canSubmit={tag !== undefined && addedTags.length === 1 && error === ""}
      onSubmit={async () => {
        if (tag !== undefined) onAdd(tag);
      }}
      onClose={onClose}
    >
      <div className="mt-4">
        <Field label="Tag" hint={error === "" ? "One tag, for example a campaign." : error}>
          {(control) => (
            <TagInput
              {...control}
              value={text}
              excludedTags={sharedTags}
              onPick={setText}
              onChange={(event) => setText(event.target.value)}
              autoFocus
            />
          )}
        </Field>
      </div>
    </FormDialog>
  );
}
