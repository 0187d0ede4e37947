import { useImperativeHandle, useRef, useState, type Ref } from "react";
import { updateAsset } from "../api/mutations.ts";
import type { Asset } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { TagField } from "../tags/TagField.tsx";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { TextAreaField, TextField } from "../ui/Field.tsx";
import { requiredTextProps } from "../ui/required-text.ts";
import { useAction } from "../ui/use-action.ts";

export interface AssetFormHandle {
  hasChanges: () => boolean;
  /** Saves the changes, if there are any. Resolves to false if they can't be saved; the form then shows why. */
  save: () => Promise<boolean>;
}

interface AssetEdits {
  altText?: string;
  filename?: string;
  tags?: string[];
}

/** The details of a file that users can edit. */
export function AssetForm({ ref, asset, onSaved }: { ref: Ref<AssetFormHandle>; asset: Asset; onSaved: () => void }) {
  const { studio, may } = useStudio();
  const form = useRef<HTMLFormElement>(null);
  // Contains only what the user edited, because other members may change the file while the form is open.
  const [edits, setEdits] = useState<AssetEdits>({});
  const { isRunning, error, run } = useAction();
  const isReadOnly = !may("assets.write");

  const altText = edits.altText ?? asset.altText ?? "";
  const filename = edits.filename ?? asset.filename;
  const hasChanges = altText !== (asset.altText ?? "") || filename !== asset.filename || edits.tags !== undefined;

  async function save(): Promise<boolean> {
    if (!hasChanges) return true;
    if (form.current?.reportValidity() === false) return false;
    let isSaved = false;
    await run(async () => {
      await updateAsset({ studioId: studio.id, assetId: asset.id }, edits);
      isSaved = true;
      // Keeps what the user typed while the request was running.
      setEdits((current) => (current === edits ? {} : current));
    });
    return isSaved;
  }
  useImperativeHandle(ref, () => ({ hasChanges: () => hasChanges, save }));

  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        void save().then((isSaved) => isSaved && onSaved());
      }}
    >
      <TextAreaField
        label="Alt text"
        hint="Describe this file for people who can’t see it."
        rows={3}
        maxLength={2000}
        value={altText}
        readOnly={isReadOnly}
        onChange={(event) => setEdits({ ...edits, altText: event.target.value })}
      />
      <TextField
        label="File name"
        value={filename}
        readOnly={isReadOnly}
        maxLength={200}
        {...requiredTextProps}
        onChange={(event) => setEdits({ ...edits, filename: event.target.value })}
      />
      <TagField
        tags={edits.tags ?? asset.tags ?? []}
        isReadOnly={isReadOnly}
        onChange={(tags) => setEdits({ ...edits, tags: [...tags] })}
      />
      {error !== undefined && <ErrorMessage error={error} />}
      {!isReadOnly && (
        <p className="mt-4">
          <Button type="submit" busyLabel={isRunning && "Saving…"}>
            Save
          </Button>
        </p>
      )}
    </form>
  );
}
