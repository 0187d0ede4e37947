import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { updatePost } from "../api/mutations.ts";
import { postQuery, type Post } from "../api/queries.ts";
import { TextDiff } from "../history/TextDiff.tsx";
import { useStudio } from "../layout/use-studio.ts";
import type { DraftController } from "../posts/use-draft.ts";
import { Button } from "../ui/Button.tsx";
import { TextAreaField } from "../ui/Field.tsx";
import { FormDialog } from "../ui/FormDialog.tsx";
import { ProblemList } from "./ProblemList.tsx";
import { ExcessStatus, TextCount } from "./TextCount.tsx";
import { getTextFor, withVariant, type Account } from "./use-accounts.ts";

/** Edits the text that one account receives instead of the post's text. */
export function VariantDialog({
  post,
  controller,
  account: { connectionId, label, platformName, textRule, problems },
  onClose,
}: {
  post: Post;
  controller: DraftController;
  account: Account;
  onClose: () => void;
}) {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const savedText = getTextFor(post, connectionId);
  const savedVariant = post.variants.find((variant) => variant.connectionId === connectionId)?.body;
  const [openedVariant, setOpenedVariant] = useState(savedVariant);
  const [text, setText] = useState(savedVariant ?? controller.draft.body);

  async function save(): Promise<void> {
    const variants = withVariant(post.variants, connectionId, text);
    try {
      const saved = await updatePost(studio.id, post.id, { variants, revision: post.revision });
      controller.accept(saved);
      setOpenedVariant(text);
      // A text that the platform would reject stays open, with the reason.
      if (!isTextRejected(saved, connectionId)) onClose();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "revision_conflict") throw error;
      await queryClient.refetchQueries({ queryKey: postQuery(studio.id, post.id).queryKey });
      throw new ApiError(
        error.status,
        error.code,
        "The post changed in the meantime.",
        "Check the text and save again.",
      );
    }
  }

  return (
    <FormDialog
      title={`Text for ${label}`}
      submitLabel="Save text"
      busyLabel="Saving…"
      canSubmit={text !== savedText}
      onSubmit={save}
      onClose={onClose}
    >
      {savedVariant !== openedVariant && (
        <div className="mt-4 border-l-3 border-danger bg-raised p-4" role="alert">
          <p className="m-0 mb-2">This text was changed while you were editing:</p>
          <TextDiff before={openedVariant ?? post.body} after={savedText} />
          <p className="flex flex-wrap gap-3">
            <Button
              variant="quiet"
              onClick={() => {
                setText(savedText);
                setOpenedVariant(savedVariant);
              }}
            >
              Use the new text
            </Button>
            <Button variant="quiet" onClick={() => setOpenedVariant(savedVariant)}>
              Keep mine
            </Button>
          </p>
        </div>
      )}
      <div className="mt-5">
        <TextAreaField
          label="Text"
          hint={
            <>
              {platformName} gets this text instead of the post’s. <TextCount text={text} rule={textRule} />
            </>
          }
          className="min-h-40 [field-sizing:content]"
          value={text}
          maxLength={100_000}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      <ExcessStatus text={text} rules={[[platformName, textRule]]} />
      {text === savedText && <ProblemList problems={problems} />}
    </FormDialog>
  );
}

const isTextRejected = ({ validation = [] }: Post, connectionId: string): boolean =>
  validation.some(
    (account) =>
      account.connectionId === connectionId &&
      account.problems.some(({ level, code }) => level === "rejected" && code.startsWith("text_")),
  );
