import type { ReactNode } from "react";
import { Button } from "./Button.tsx";
import { CopyField } from "./CopyField.tsx";
import { Dialog, DialogActions } from "./Dialog.tsx";

/** Shows a new link for the user to copy. */
export function LinkDialog({
  title,
  label,
  url,
  onClose,
  children,
}: {
  title: string;
  label: string;
  url: string;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p className="text-muted">{children}</p>
      <CopyField label={label} text={url} isPrimary />
      <DialogActions>
        <Button variant="secondary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}
