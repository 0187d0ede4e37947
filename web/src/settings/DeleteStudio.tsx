import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { deleteStudio } from "../api/changes.ts";
import { meQuery } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { Failure } from "../ui/Failure.tsx";
import { Modal } from "../ui/Modal.tsx";
import { useToast } from "../ui/Toasts.tsx";

export function DeleteStudio() {
  const { studio } = useStudio();
  const [open, setOpen] = useState(false);
  return (
    <section className="entry" aria-labelledby="delete">
      <h2 id="delete">Delete the studio</h2>
      <div className="max-w-[38rem]">
        <p className="mt-0">
          Deletes {studio.name} with its posts, members, invitations and activity, for everyone. Assistants that work in
          it are cut off. This cannot be undone.
        </p>
        <p>
          <Button look="quiet" className="min-h-11 text-danger" onClick={() => setOpen(true)}>
            Delete studio…
          </Button>
        </p>
      </div>
      {open && <DeleteDialog onClose={() => setOpen(false)} />}
    </section>
  );
}

function DeleteDialog({ onClose }: { onClose: () => void }) {
  const { studio } = useStudio();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useToast();
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function remove(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await deleteStudio(studio.id, typed);
      await queries.invalidateQueries({ queryKey: meQuery.queryKey });
      await navigate({ to: "/" });
      queries.removeQueries({ queryKey: ["studio", studio.id] });
      say({ text: `${studio.name} was deleted.` });
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }

  return (
    <Modal title={`Delete ${studio.name}?`} onClose={() => busy || onClose()}>
      <p className="text-muted">Everything in it is lost for everyone. Nobody can bring it back.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void remove();
        }}
      >
        <label htmlFor="typed-name" className="mt-5 [overflow-wrap:anywhere]">
          Type <em className="font-serif font-normal">{studio.name}</em> to confirm
        </label>
        <input
          id="typed-name"
          className="mt-2"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          autoComplete="off"
        />
        {error !== undefined && <Failure error={error} />}
        <div className="mt-7 flex flex-wrap justify-end gap-3">
          <Button look="quiet" className="min-h-11" onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button look="danger" type="submit" disabled={typed.trim() !== studio.name} busy={busy && "Deleting…"}>
            Delete for good
          </Button>
        </div>
      </form>
    </Modal>
  );
}
