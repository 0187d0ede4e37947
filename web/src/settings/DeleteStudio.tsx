import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { deleteStudio } from "../api/mutations.ts";
import { meQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { Modal } from "../ui/Modal.tsx";
import { useToast } from "../ui/Toasts.tsx";

export function DeleteStudio() {
  const { studio } = useStudio();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section className="entry" aria-labelledby="delete">
      <h2 id="delete">Delete studio</h2>
      <div className="max-w-[38rem]">
        <p className="mt-0">
          Deletes {studio.name} with its posts, files, members, invitations and activity, for everyone. AI clients lose
          access to it. This can’t be undone.
        </p>
        <p>
          <Button variant="quiet" className="min-h-11 text-danger" onClick={() => setIsOpen(true)}>
            Delete studio…
          </Button>
        </p>
      </div>
      {isOpen && <DeleteDialog onClose={() => setIsOpen(false)} />}
    </section>
  );
}

function DeleteDialog({ onClose }: { onClose: () => void }) {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const showToast = useToast();
  const [typedName, setTypedName] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function handleDelete(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await deleteStudio(studio.id, typedName);
      await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
      await navigate({ to: "/" });
      queryClient.removeQueries({ queryKey: ["studio", studio.id] });
      showToast({ text: `${studio.name} was deleted.` });
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }

  return (
    <Modal title={`Delete ${studio.name}?`} onClose={() => busy || onClose()}>
      <p className="text-muted">This permanently deletes everything in it, for everyone.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void handleDelete();
        }}
      >
        <label htmlFor="typed-name" className="mt-5 [overflow-wrap:anywhere]">
          Type <em className="font-serif font-normal">{studio.name}</em> to confirm
        </label>
        <input
          id="typed-name"
          className="mt-2"
          value={typedName}
          onChange={(event) => setTypedName(event.target.value)}
          autoComplete="off"
        />
        {error !== undefined && <ErrorMessage error={error} />}
        <div className="mt-7 flex flex-wrap justify-end gap-3">
          <Button variant="quiet" className="min-h-11" onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button
            variant="danger"
            type="submit"
            disabled={typedName.trim() !== studio.name}
            busyLabel={busy && "Deleting…"}
          >
            Delete permanently
          </Button>
        </div>
      </form>
    </Modal>
  );
}
