import type { ReactNode } from "react";
import { Button } from "./Button.tsx";
import type { ButtonVariant } from "./button-classes.ts";
import { Dialog, DialogActions } from "./Dialog.tsx";
import { ErrorMessage } from "./ErrorMessage.tsx";
import { useAction } from "./use-action.ts";

/**
 * A dialog with a form. It stays open while `onSubmit` runs, and shows the error if `onSubmit` rejects. On success,
 * `onSubmit` itself has to close the dialog.
 */
export function FormDialog({
  title,
  subtitle,
  submitLabel,
  busyLabel,
  cancelLabel = "Cancel",
  variant = "primary",
  canSubmit = true,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  /** What the dialog is about, such as the title of a post. */
  subtitle?: string | undefined;
  submitLabel: string;
  /** The submit button's label while `onSubmit` runs. */
  busyLabel: string;
  cancelLabel?: string;
  variant?: ButtonVariant;
  canSubmit?: boolean;
  onSubmit: () => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}) {
  const { isRunning, error, run } = useAction();
  return (
    <Dialog title={title} subtitle={subtitle} onClose={() => isRunning || onClose()}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // React passes the event on to the form of a dialog around this one.
          event.stopPropagation();
          void run(onSubmit);
        }}
      >
        {children}
        {error !== undefined && <ErrorMessage error={error} />}
        <DialogActions>
          <Button variant="secondary" onClick={onClose} disabled={isRunning}>
            {cancelLabel}
          </Button>
          <Button variant={variant} type="submit" disabled={!canSubmit} busyLabel={isRunning && busyLabel}>
            {submitLabel}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
