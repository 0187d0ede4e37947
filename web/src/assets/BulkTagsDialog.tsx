import { useState } from "react";
import type { Asset } from "../api/queries.ts";
import { TagField } from "../tags/TagField.tsx";
import { countTags } from "../tags/count-tags.ts";
import { ChoiceField } from "../ui/Field.tsx";
import { FormDialog } from "../ui/FormDialog.tsx";
import { formatFileCount } from "./labels.ts";
import type { TagChange } from "./use-bulk-actions.ts";

/** Adds tags to all selected files, and removes tags that some of them have. */
export function BulkTagsDialog({
  assets,
  onSubmit,
  onClose,
}: {
  assets: readonly Asset[];
  onSubmit: (change: TagChange) => Promise<void>;
  onClose: () => void;
}) {
  const [addedTags, setAddedTags] = useState<readonly string[]>([]);
  const [removedTags, setRemovedTags] = useState<readonly string[]>([]);
  const counts = [...countTags(assets)];
  return (
    <FormDialog
      title={`Edit tags on ${formatFileCount(assets.length)}`}
      submitLabel="Apply"
      busyLabel="Applying…"
      canSubmit={addedTags.length + removedTags.length > 0}
      onSubmit={() => onSubmit({ addedTags, removedTags: removedTags.filter((tag) => !addedTags.includes(tag)) })}
      onClose={onClose}
    >
      <div className="mt-4">
        <TagField label="Add tags" tags={addedTags} isReadOnly={false} onChange={setAddedTags} />
      </div>
      {counts.length > 0 && (
        <fieldset className="mt-5">
          <legend className="mb-1 font-medium">Remove tags</legend>
          <div className="max-h-48 overflow-auto">
            {counts.map(([tag, count]) => (
              <ChoiceField
                key={tag}
                type="checkbox"
                label={`${tag} (${formatFileCount(count)})`}
                className="py-1 [overflow-wrap:anywhere] pointer-coarse:py-2.5"
                checked={removedTags.includes(tag)}
                onChange={({ target }) =>
                  setRemovedTags((current) =>
                    target.checked ? [...current, tag] : current.filter((other) => other !== tag),
                  )
                }
              />
            ))}
          </div>
        </fieldset>
      )}
    </FormDialog>
  );
}
