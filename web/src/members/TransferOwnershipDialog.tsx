import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { changeRole } from "../api/mutations.ts";
import { refreshQueries, type Member, type Role } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { Modal } from "../ui/Modal.tsx";
import { useToast } from "../ui/Toasts.tsx";

/** Promotes the new owner before changing the user's own role, so that the studio always has an owner. */
export function TransferOwnershipDialog({ members, onClose }: { members: readonly Member[]; onClose: () => void }) {
  const { studio, me } = useStudio();
  const queryClient = useQueryClient();
  const showToast = useToast();
  const [newOwnerId, setNewOwnerId] = useState(members[0]?.userId ?? "");
  const [ownRole, setOwnRole] = useState<Role>("admin");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function transferOwnership(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await changeRole(studio.id, newOwnerId, "owner");
      if (ownRole !== "owner") await changeRole(studio.id, me.user.id, ownRole);
      await refreshQueries(queryClient, studio.id);
      showToast({
        text: `${members.find(({ userId }) => userId === newOwnerId)?.name ?? "The new owner"} is now an owner of this studio.`,
      });
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }

  return (
    <Modal title={`Transfer ownership of ${studio.name}`} onClose={() => busy || onClose()}>
      <p className="text-muted">
        The new owner has full access and can manage you. Only an owner can make you an owner again.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void transferOwnership();
        }}
      >
        <label htmlFor="new-owner" className="mt-5">
          New owner
        </label>
        <select
          id="new-owner"
          className="mt-2 w-full"
          value={newOwnerId}
          onChange={(event) => setNewOwnerId(event.target.value)}
        >
          {members.map((member) => (
            <option key={member.userId} value={member.userId}>
              {member.name} {member.email === null ? "" : `(${member.email})`}
            </option>
          ))}
        </select>
        <label htmlFor="own-role" className="mt-5">
          Your new role
        </label>
        <select
          id="own-role"
          className="mt-2 w-full"
          value={ownRole}
          onChange={(event) => setOwnRole(event.target.value as Role)}
        >
          {studio.manages.map((role) => (
            <option key={role} value={role}>
              {role === "owner" ? "owner (keep your role)" : role}
            </option>
          ))}
        </select>
        {error !== undefined && <ErrorMessage error={error} />}
        <div className="mt-7 flex flex-wrap justify-end gap-3">
          <Button variant="quiet" className="min-h-11" onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button variant="danger" type="submit" busyLabel={busy && "Transferring…"}>
            Transfer ownership
          </Button>
        </div>
      </form>
    </Modal>
  );
}
