import { useId, useState, type KeyboardEvent } from "react";
import { TextArea } from "../posts/TextArea.tsx";
import { Button } from "../ui/Button.tsx";
import { Checkbox } from "../ui/Checkbox.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { isComposing } from "../ui/is-composing.ts";
import { Kbd } from "../ui/Kbd.tsx";
import { useAction } from "../ui/use-action.ts";
import { useCommentDraft } from "./use-comment-draft.ts";

/** The server's limit. */
export const maxCommentLength = 10_000;

/** A field for a new comment or a reply. */
export function CommentForm({
  draftKey,
  label,
  submitLabel,
  onSend,
  onCancel,
}: {
  /** Identifies the draft, which is kept until it is sent or canceled. */
  draftKey: string;
  label: string;
  submitLabel: string;
  onSend: (body: string, visibility: "team" | "guests") => Promise<unknown>;
  /** Set for replies only. Their field receives the focus when it appears. */
  onCancel?: () => void;
}) {
  const id = useId();
  const [text, setText] = useCommentDraft(draftKey);
  const { isRunning, error, run } = useAction();
  const [isForGuests, setIsForGuests] = useState(false);
  const isEmpty = text.trim() === "";

  const send = (): void => {
    if (isEmpty || isRunning) return;
    void run(async () => {
      await onSend(text.trim(), isForGuests ? "guests" : "team");
      setIsForGuests(false);
      setText("");
    });
  };

  const cancel = (): void => {
    setText("");
    onCancel?.();
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && onCancel && isEmpty) {
      // Otherwise the panel closes too.
      event.preventDefault();
      cancel();
    }
  };

  return (
    <form
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <TextArea
        id={id}
        className="max-h-60 min-h-11 resize-none [field-sizing:content]"
        rows={2}
        value={text}
        maxLength={maxCommentLength}
        placeholder={`${label}…`}
        aria-describedby={`${id}-hint`}
        autoFocus={onCancel !== undefined}
        readOnly={isRunning}
        onEdit={setText}
        onKeyDown={onKeyDown}
      />
      <Checkbox label="Show to guests of review links" checked={isForGuests} onChange={setIsForGuests} />
      {error !== undefined && <ErrorMessage error={error} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p id={`${id}-hint`} className="m-0 mr-auto text-sm text-muted">
          {text.length > maxCommentLength - 1000 ? (
            `${(maxCommentLength - text.length).toLocaleString("en")} characters left`
          ) : (
            <span className="inline-flex gap-1.5 pointer-coarse:sr-only">
              <Kbd keys="mod+↵" /> sends
            </span>
          )}
        </p>
        {onCancel && (
          <Button variant="quiet" size="small" onClick={cancel} disabled={isRunning}>
            Cancel
          </Button>
        )}
        <Button size="small" type="submit" disabled={isEmpty} busyLabel={isRunning && "Sending…"}>
          {submitLabel}
        </Button>
      </div>
    </form>
  );
}
