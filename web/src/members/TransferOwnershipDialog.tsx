import { useState } from "react";
import { inBatch } from "../api/change.ts";
import { changeRole } from "../api/mutations.ts";
import type { Member, Role } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { SelectField } from "../ui/Field.tsx";
import { FormDialog } from "../ui/FormDialog.tsx";
import { roleLabels } from "../ui/roles.ts";
import { useToast } from "../ui/Toasts.tsx";

/** Promotes the new owner before changing the user's own role, so that the studio always has an owner. */
export function TransferOwnershipDialog({ members, onClose }: { members: readonly Member[]; onClose: () => void }) {
  const { studio, me } = useStudio();
  const { manages: manageableRoles } = studio;
  const showToast = useToast();
  const [newOwnerId, setNewOwnerId] = useState(members[0]?.userId ?? "");
  const [ownRole, setOwnRole] = useState<Role>("admin");

  async function transferOwnership(): Promise<void> {
    await inBatch(async () => {
      await changeRole({ studioId: studio.id, userId: newOwnerId }, { role: "owner" });
      if (ownRole !== "owner") await changeRole({ studioId: studio.id, userId: me.user.id }, { role: ownRole });
    });
    const newOwner = members.find(({ userId }) => userId === newOwnerId);
    showToast({ text: `${newOwner?.name ?? "The new owner"} is now an owner of this studio.` });
    onClose();
  }

  return (
    <FormDialog
      title={`Transfer ownership of ${studio.name}`}
      variant="danger"
      submitLabel="Transfer ownership"
      busyLabel="Transferring…"
      onSubmit={transferOwnership}
      onClose={onClose}
    >
      <p className="text-muted">
        The new owner has full access and can manage you. Only an owner can make you an owner again.
      </p>
      <SelectField
        label="New owner"
        value={newOwnerId}
        onChange={(event) => setNewOwnerId(event.target.value)}
        options={members.map(({ userId, name, email }) => [userId, email === null ? name : `${name} (${email})`])}
      />
      <SelectField
        label="Your new role"
        value={ownRole}
        onChange={(event) => setOwnRole(event.target.value as Role)}
        options={manageableRoles.map((role) => [role, role === "owner" ? "Owner (keep your role)" : roleLabels[role]])}
      />
    </FormDialog>
  );
}
