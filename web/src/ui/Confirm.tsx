import { createContext, use, useState, type ReactNode } from "react";
import { Button } from "./Button.tsx";
import { ErrorMessage } from "./ErrorMessage.tsx";
import { Modal } from "./Modal.tsx";

interface Confirmation {
  title: string;
  /** The consequences. */
  body: ReactNode;
  action: string;
  /** The label of the button that changes nothing; "Cancel" by default. */
  dismiss?: string;
  /** The label of the action while it runs. */
  busy: string;
  run: () => Promise<unknown>;
}

const ConfirmContext = createContext<(confirmation: Confirmation) => void>(() => {});

/** Asks before an action that cannot be undone. The dialog stays open until it succeeds, and shows errors. */
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

function ConfirmDialog({ confirmation, onClose }: { confirmation: Confirmation; onClose: () => void }) {
  const [isRunning, setIsRunning] = useState(false);
  const [error, setError] = useState<unknown>();

  async function run(): Promise<void> {
    setIsRunning(true);
    setError(undefined);
    try {
      await confirmation.run();
      onClose();
    } catch (failure) {
      setError(failure);
      setIsRunning(false);
    }
  }

  return (
    <Modal title={confirmation.title} onClose={() => isRunning || onClose()}>
      <div className="mt-3 text-muted">{confirmation.body}</div>
      {error !== undefined && <ErrorMessage error={error} />}
      <div className="mt-7 flex flex-wrap justify-end gap-3">
        <Button variant="quiet" className="min-h-11" onClick={onClose} disabled={isRunning}>
          {confirmation.dismiss ?? "Cancel"}
        </Button>
        <Button variant="danger" onClick={() => void run()} busyLabel={isRunning && confirmation.busy}>
          {confirmation.action}
        </Button>
      </div>
    </Modal>
  );
}
