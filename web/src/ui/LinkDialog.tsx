import { useState, type ReactNode } from "react";
import { Button } from "./Button.tsx";
import { ConfirmDialog } from "./Confirm.tsx";
import { CopyField } from "./CopyField.tsx";
import { Dialog, DialogActions } from "./Dialog.tsx";

/** Shows a link, or a secret, for the user to copy. */
export function LinkDialog({
  title,
  label,
  url,
  lossText,
  copiedThing = "link",
  onClose,
  children,
}: {
  title: string;
  label: string;
  url: string;
  /** For a link that can't be shown again: what closing without a copy means. The dialog then asks first. */
  lossText?: string;
  copiedThing?: "link" | "secret";
  onClose: () => void;
  children: ReactNode;
}) {
  const [isCopied, setIsCopied] = useState(false);
  const [isConfirming, setIsConfirming] = useState(false);
  const closeOrConfirm = lossText === undefined || isCopied ? onClose : () => setIsConfirming(true);
  return (
    <>
      <Dialog title={title} onClose={closeOrConfirm}>
        <p className="text-muted">{children}</p>
        <CopyField label={label} text={url} isPrimary onCopied={() => setIsCopied(true)} />
        <DialogActions>
          <Button variant="secondary" onClick={closeOrConfirm}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
      {isConfirming && (
        <ConfirmDialog
          confirmation={{
            title: `Close without copying the ${copiedThing}?`,
            body: <p>{lossText}</p>,
            action: "Close without copying",
            busyLabel: "Closing…",
            dismiss: "Keep open",
            run: async () => onClose(),
          }}
          onClose={() => setIsConfirming(false)}
        />
      )}
    </>
  );
}
