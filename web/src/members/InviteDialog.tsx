import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { mailSettingsQuery } from "../api/mail-queries.ts";
import { createInvitation } from "../api/mutations.ts";
import { invitationsQuery, membersQuery, type Role } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog, DialogActions } from "../ui/Dialog.tsx";
import { ChoiceField, TextField } from "../ui/Field.tsx";
import { FormDialog } from "../ui/FormDialog.tsx";
import { LinkDialog } from "../ui/LinkDialog.tsx";
import { formatExactTime } from "../ui/format-time.ts";
import { describeRole, roleLabels, withArticle } from "../ui/roles.ts";

/** Creates an invitation link and shows it once: the server stores only a hash of its token. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { studio } = useStudio();
  const { manages: manageableRoles } = studio;
  const [role, setRole] = useState<Role>("member");
  const [email, setEmail] = useState("");
  const [invitation, setInvitation] = useState<Awaited<ReturnType<typeof createInvitation>>>();
  const trimmedEmail = email.trim();
  const pendingInvitations = useQuery(invitationsQuery(studio.id)).data?.invitations ?? [];
  const pendingInvitation = pendingInvitations.find(({ expiresAt }) => expiresAt === invitation?.expiresAt);
  // The list may be older than the invitation, so only one that was in the list can be missing.
  const [createdAt, setCreatedAt] = useState<string>();
  if (pendingInvitation && createdAt === undefined) setCreatedAt(pendingInvitation.createdAt);
  const sendsEmail = useQuery(mailSettingsQuery(studio.id)).data?.isConfigured === true;
  const members = useQuery(membersQuery(studio.id)).data?.members ?? [];

  async function create(): Promise<void> {
    const recipient = trimmedEmail === "" ? {} : { email: trimmedEmail };
    setInvitation(await createInvitation({ studioId: studio.id }, { role, ...recipient }));
  }

  if (invitation && createdAt !== undefined && !pendingInvitation) {
    const newMembers = members.filter((member) => member.joinedAt >= createdAt && member.role === role);
    // With several, it is not known which of them used this link.
    const newMember = newMembers.length === 1 ? newMembers[0] : undefined;
    return (
      <Dialog title={newMember ? `${newMember.name} has joined` : "This link no longer works"} onClose={onClose}>
        <p className="text-muted">
          {newMember
            ? "This link no longer works. To invite someone else, create another one."
            : `Someone has joined ${studio.name} with it, or it was revoked or has expired.`}
        </p>
        <DialogActions>
          <Button variant="secondary" onClick={onClose}>
            Done
          </Button>
        </DialogActions>
      </Dialog>
    );
  }
  if (invitation) {
    return (
      <LinkDialog
        title="Share this link"
        label="Invitation link"
        url={invitation.url}
        lossText="It won’t be shown again. The invitation stays under Pending invitations, where you can revoke it."
        onClose={onClose}
      >
        {trimmedEmail === "" ? "One person" : `Only ${trimmedEmail}`} can use it to join {studio.name} as{" "}
        {withArticle(role)}. It expires on {formatExactTime(invitation.expiresAt, studio.timezone)}. Copy it now: it
        won’t be shown again.{sendsEmail && trimmedEmail !== "" && " We also send it by email."} You can revoke it until
        it’s used.
      </LinkDialog>
    );
  }
  return (
    <FormDialog
      title={`Invite someone to ${studio.name}`}
      submitLabel="Create link"
      busyLabel="Creating…"
      onSubmit={create}
      onClose={onClose}
    >
      <fieldset className="mt-5">
        <legend className="font-semibold">Role</legend>
        {manageableRoles.toReversed().map((option) => (
          <ChoiceField
            key={option}
            type="radio"
            name="role"
            label={roleLabels[option]}
            description={describeRole(option, studio.approval)}
            className="mt-2"
            checked={role === option}
            onChange={() => setRole(option)}
          />
        ))}
      </fieldset>
      <TextField
        label={
          <>
            Email <span className="font-normal text-muted">(optional)</span>
          </>
        }
        hint={`If you enter an email, only the person who signs in with it can use the link. ${sendsEmail ? "We also send it there." : "This server sends no emails; share the link yourself."}`}
        type="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        maxLength={254}
        autoComplete="off"
      />
    </FormDialog>
  );
}
