import { createContext, use, useState, type ReactNode } from "react";
import { TextField } from "./Field.tsx";
import { FormDialog } from "./FormDialog.tsx";

interface Confirmation {
  title: string;
  /** Explains the consequences. */
  body: ReactNode;
  /** The label of the button that runs the action. */
  action: string;
  /** The label of the button that only closes the dialog; "Cancel" by default. */
  dismiss?: string;
  /** The label of the action's button while the action runs. */
  busyLabel: string;
  /** The user must type this text, because the action affects others and cannot be undone. */
  typeToConfirm?: string;
  run: () => Promise<unknown>;
}

const ConfirmContext = createContext<(confirmation: Confirmation) => void>(() => {});

/** Asks before an action that can't be undone. The dialog stays open until the action succeeds, and shows its errors. */
export const useConfirm = (): ((confirmation: Confirmation) => void) => use(ConfirmContext);

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [confirmation, setConfirmation] = useState<Confirmation>();
  return (
    <ConfirmContext value={setConfirmation}>
      {children}
      {confirmation && <ConfirmDialog confirmation={confirmation} onClose={() => setConfirmation(undefined)} />}
    </ConfirmContext>
  );
}

/** For a question about a dialog, which disappears together with it. Otherwise use `useConfirm`. */
export function ConfirmDialog({ confirmation, onClose }: { confirmation: Confirmation; onClose: () => void }) {
  const { title, body, action, dismiss = "Cancel", busyLabel, typeToConfirm, run } = confirmation;
  const [typedText, setTypedText] = useState("");
  return (
    <FormDialog
      title={title}
      variant="danger"
      submitLabel={action}
      busyLabel={busyLabel}
      cancelLabel={dismiss}
      canSubmit={typeToConfirm === undefined || typedText.trim() === typeToConfirm}
      onSubmit={async () => {
        await run();
        onClose();
      }}
      onClose={onClose}
    >
      <div className="mt-3 text-muted">{body}</div>
      {typeToConfirm !== undefined && (
        <TextField
          label={
            <>
              Type <strong>{typeToConfirm}</strong> to confirm
            </>
          }
          value={typedText}
          onChange={(event) => setTypedText(event.target.value)}
          autoComplete="off"
        />
      )}
    </FormDialog>
  );
}
