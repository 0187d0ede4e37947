import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { hasAccountChoices, type PostOption, withAccountChoices } from "#portable/post-options.ts";
import { selectForAccount } from "#portable/select-for-account.ts";
import { updatePost } from "../api/mutations.ts";
import { choicesQuery, type Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { changeVariant } from "../posts/change-variant.ts";
import { updateLatestPost } from "../posts/update-latest-post.ts";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { FormDialog } from "../ui/FormDialog.tsx";
import { OptionFields } from "./OptionFields.tsx";

/** Lets the user choose the options of one account, or only those that approving asks for. */
export function OptionsDialog({
  post,
  connectionId,
  label,
  schema,
  submitLabel = "Save",
  onSave,
  onClose,
}: {
  post: Post;
  connectionId: string;
  /** The name of the account. */
  label: string;
  schema: readonly PostOption[];
  submitLabel?: string;
  onSave?: ((savedPost: Post) => Promise<unknown> | void) | undefined;
  onClose: () => void;
}) {
  const { studio } = useStudio();
  const { body, options: savedOptions = {} } = selectForAccount(post, connectionId);
  const [options, setOptions] = useState(savedOptions);
  const needsChoices = hasAccountChoices(schema);
  const choices = useQuery({ ...choicesQuery(studio.id, connectionId), enabled: needsChoices });

  async function save(): Promise<void> {
    const names = schema.map(({ name }) => name);
    const savedPost = await updateLatestPost(updatePost, studio.id, post, ({ variants }) => {
      const current = variants.find((variant) => variant.connectionId === connectionId)?.options ?? {};
      const others = Object.entries(current).filter(([name]) => !names.includes(name));
      const newOptions = { ...Object.fromEntries(others), ...options };
      return {
        variants: changeVariant(variants, connectionId, {
          options: Object.keys(newOptions).length === 0 ? undefined : newOptions,
        }),
      };
    });
    await onSave?.(savedPost);
    onClose();
  }

  return (
    <FormDialog
      title={`Options for ${label}`}
      submitLabel={submitLabel}
      busyLabel="Saving…"
      onSubmit={save}
      onClose={onClose}
    >
      <div className="mt-3">
        {needsChoices && !choices.data ? (
          <QueryStatus query={choices} />
        ) : (
          <OptionFields
            schema={withAccountChoices(schema, choices.data?.choices)}
            options={options}
            text={body}
            onChange={setOptions}
          />
        )}
      </div>
    </FormDialog>
  );
}
