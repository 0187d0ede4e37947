import { useId } from "react";
import { TextDiff } from "../history/TextDiff.tsx";
import { useStudio } from "../layout/use-studio.ts";
import { formatFullDay } from "../posts/calendar/calendar-days.ts";
import { textFieldClasses } from "../posts/field-classes.ts";
import { MarkdownNotice } from "../posts/MarkdownNotice.tsx";
import { TextArea } from "../posts/TextArea.tsx";
import { getSavedValue, getTextField, type UnsavedEdit } from "../posts/post-edits.ts";
import type { EditorController } from "../posts/use-editor.ts";
import { AccountExtras } from "../publishing/AccountExtras.tsx";
import { ProblemList } from "../publishing/ProblemList.tsx";
import { ExcessStatus, TextCount } from "../publishing/TextCount.tsx";
import type { Account } from "../publishing/use-accounts.ts";
import { Button } from "../ui/Button.tsx";
import { AccountPreview } from "./AccountPreview.tsx";

/** Edits the text for one account, next to a preview of the post as this account receives it. */
export function AccountTab({
  editor,
  account,
  accounts,
}: {
  editor: EditorController;
  account: Account;
  accounts: readonly Account[];
}) {
  const { may } = useStudio();
  const { connectionId, label, platform, platformName, textRule, problems, isAvailable, rulesSource } = account;
  const { post, conflicts } = editor;
  const fieldId = useId();
  const field = getTextField(connectionId);
  const ownText = editor.getOwnText(connectionId);
  const text = ownText ?? editor.body;
  const conflict = conflicts.find((each) => each.field === field);
  const canWrite =
    may("posts.write") &&
    conflicts.every((each) => each.field !== "title" && each.field !== "body") &&
    post.status !== "archived";
  const sharesCrops = accounts.filter((other) => other.isAvailable && other.platform === platform).length > 1;
  return (
    <div className="@container">
      <div className="grid grid-cols-1 items-start gap-x-6 gap-y-5 @xl:grid-cols-2 @xl:grid-rows-[auto_1fr]">
        <div className="min-w-0">
          <div className="mb-2 flex min-h-control-small flex-wrap items-center justify-between gap-x-4 gap-y-1 text-sm text-muted">
            <span id={`${fieldId}-hint`}>
              {ownText === undefined
                ? "Uses the post’s text until you change it here."
                : "This account has its own text."}
            </span>
            {ownText !== undefined && canWrite && (
              <Button
                variant="quiet"
                size="small"
                aria-label={`Use post’s text for ${label}`}
                onClick={() => editor.edit(field, undefined)}
              >
                Use post’s text
              </Button>
            )}
          </div>
          {conflict && <VariantConflict editor={editor} conflict={conflict} />}
          <label htmlFor={fieldId} className="sr-only">
            Text for {label}
          </label>
          <TextArea
            id={fieldId}
            className={`min-h-44 ${textFieldClasses} ${ownText === undefined ? "text-muted focus:text-ink" : ""}`}
            value={text}
            readOnly={!canWrite}
            maxLength={100_000}
            aria-describedby={`${fieldId}-hint`}
            onEdit={(ownBody) => editor.edit(field, ownBody)}
          />
          <p className="mt-2 flex flex-wrap justify-between gap-x-4 text-sm text-muted">
            <TextCount text={text} rule={textRule} />
            {rulesSource && (
              <span>
                <a href={rulesSource.url} target="_blank" rel="noreferrer" aria-label={`Rules of ${platformName}`}>
                  Rules
                </a>{" "}
                checked {formatFullDay(rulesSource.readOn)}
              </span>
            )}
          </p>
          <ExcessStatus text={text} rules={[[platformName, textRule]]} />
          {ownText !== undefined && (
            <MarkdownNotice
              text={ownText}
              onFix={canWrite ? (plainText) => editor.edit(field, plainText) : undefined}
            />
          )}
          <AccountExtras post={post} account={account} isDisabled={editor.isUnsaved || !canWrite} />
          {!isAvailable && <ProblemList problems={problems} />}
        </div>
        {isAvailable ? (
          <AccountPreview post={post} editor={editor} account={account} text={text} sharesCrops={sharesCrops} />
        ) : (
          <p className="m-0 text-sm text-muted">Publishing to {platformName} is not available yet.</p>
        )}
      </div>
    </div>
  );
}

function VariantConflict({ editor, conflict }: { editor: EditorController; conflict: UnsavedEdit }) {
  const { field, value, base } = conflict;
  const saved = getSavedValue(editor.post, field);
  return (
    <div className="mb-3 rounded-lg border border-l-3 border-rule border-l-danger bg-raised p-4" role="alert">
      <p className="m-0 mb-2">This text was changed while you were editing:</p>
      <TextDiff before={String(base ?? editor.body)} after={String(saved ?? editor.body)} />
      <p className="flex flex-wrap gap-2">
        <Button variant="secondary" size="small" onClick={() => editor.resolve(field, saved)}>
          Use the new text
        </Button>
        <Button variant="secondary" size="small" onClick={() => editor.resolve(field, value)}>
          Keep mine
        </Button>
      </p>
    </div>
  );
}
