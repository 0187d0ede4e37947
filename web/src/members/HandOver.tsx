import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changeRole } from "../api/changes.ts";
import { refresh, type Member, type Role } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { Failure } from "../ui/Failure.tsx";
import { Modal } from "../ui/Modal.tsx";
import { useToast } from "../ui/Toasts.tsx";

/** Makes someone else an owner, and the one who does it something less, in that order: an owner is always there. */
export function HandOver({ members, onClose }: { members: readonly Member[]; onClose: () => void }) {
  const { studio, me } = useStudio();
  const queries = useQueryClient();
  const say = useToast();
  const [to, setTo] = useState(members[0]?.userId ?? "");
  const [then, setThen] = useState<Role>("admin");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function handOver(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await changeRole(studio.id, to, "owner");
      if (then !== "owner") await changeRole(studio.id, me.user.id, then);
      await refresh(queries, studio.id);
      say({
        text: `${members.find(({ userId }) => userId === to)?.name ?? "The new owner"} is now an owner of this studio.`,
      });
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }

  return (
    <Modal title={`Hand over ${studio.name}`} onClose={() => busy || onClose()}>
      <p className="text-muted">
        The new owner can do everything here, including managing you. Only they, or another owner, can make you an owner
        again.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void handOver();
        }}
      >
        <label htmlFor="new-owner" className="mt-5">
          New owner
        </label>
        <select id="new-owner" className="mt-2 w-full" value={to} onChange={(event) => setTo(event.target.value)}>
          {members.map((member) => (
            <option key={member.userId} value={member.userId}>
              {member.name} {member.email === null ? "" : `(${member.email})`}
            </option>
          ))}
        </select>
        <label htmlFor="own-role" className="mt-5">
          You become
        </label>
        <select
          id="own-role"
          className="mt-2 w-full"
          value={then}
          onChange={(event) => setThen(event.target.value as Role)}
        >
          {studio.manages.map((role) => (
            <option key={role} value={role}>
              {role === "owner" ? "stay owner beside them" : role}
            </option>
          ))}
        </select>
        {error !== undefined && <Failure error={error} />}
        <div className="mt-7 flex flex-wrap justify-end gap-3">
          <Button look="quiet" className="min-h-11" onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button look="danger" type="submit" busy={busy && "Handing over…"}>
            Hand over
          </Button>
        </div>
      </form>
    </Modal>
  );
}
