import { createContext, use, useState, type ReactNode } from "react";
import { Button } from "./Button.tsx";
import { Failure } from "./Failure.tsx";
import { Modal } from "./Modal.tsx";

interface Question {
  title: string;
  /** What will be lost, in words. */
  body: ReactNode;
  action: string;
  /** Leaves things as they are; "Cancel" unless told otherwise. */
  dismiss?: string;
  /** Said while it runs. */
  busy: string;
  run: () => Promise<unknown>;
}

const Asking = createContext<(question: Question) => void>(() => {});

/** Asks before something that cannot be undone; the dialog stays until it is done, and says if it failed. */
export const useConfirm = (): ((question: Question) => void) => use(Asking);

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [question, setQuestion] = useState<Question>();
  return (
    <Asking value={setQuestion}>
      {children}
      {question && <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />}
    </Asking>
  );
}

function ConfirmDialog({ question, onClose }: { question: Question; onClose: () => void }) {
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<unknown>();

  async function run(): Promise<void> {
    setRunning(true);
    setError(undefined);
    try {
      await question.run();
      onClose();
    } catch (failure) {
      setError(failure);
      setRunning(false);
    }
  }

  return (
    <Modal title={question.title} onClose={() => running || onClose()}>
      <div className="mt-3 text-muted">{question.body}</div>
      {error !== undefined && <Failure error={error} />}
      <div className="mt-7 flex flex-wrap justify-end gap-3">
        <Button look="quiet" className="min-h-11" onClick={onClose} disabled={running}>
          {question.dismiss ?? "Cancel"}
        </Button>
        <Button look="danger" onClick={() => void run()} busy={running && question.busy}>
          {question.action}
        </Button>
      </div>
    </Modal>
  );
}
