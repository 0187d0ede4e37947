import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { changeRole, leaveStudio, removeMember } from "../api/mutations.ts";
import type { Member, Role } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Avatar } from "../ui/Avatar.tsx";
import { Button } from "../ui/Button.tsx";
import { useConfirm } from "../ui/Confirm.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { Email } from "../ui/Email.tsx";
import { ListRow, RowActions } from "../ui/List.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { roleLabels, withArticle } from "../ui/roles.ts";
import { useToast } from "../ui/Toasts.tsx";
import { useAction } from "../ui/use-action.ts";

/** A studio needs an owner, so the server does not let the only owner leave or change their role. */
export function MemberRow({
  member,
  isOnlyOwner,
  isOnlyMember,
}: {
  member: Member;
  isOnlyOwner: boolean;
  isOnlyMember: boolean;
}) {
  const { studio, me, may } = useStudio();
  const isMe = member.userId === me.user.id;
  const { manages: manageableRoles } = studio;
  const canManage = manageableRoles.includes(member.role);
  const canLeave = isMe && may("members.leave");
  const canChangeRole = may("members.changeRole") && canManage && !isOnlyOwner;
  const canRemove = !isMe && may("members.remove") && canManage;
  const roleChange = useChangeRole(member, isMe);
  const confirmRemoval = useRemoveMember(member, isMe);
  const reasonId = useId();
  return (
    <ListRow isActionBeside={!canChangeRole}>
      <div className="flex min-w-0 gap-3 max-sm:self-start">
        <Avatar name={member.name} />
        <div className="min-w-0">
          <p className="m-0 flex items-baseline gap-2">
            <span className="min-w-0 font-medium [overflow-wrap:anywhere]">{member.name}</span>
            {isMe && <span className="text-sm text-muted">you</span>}
          </p>
          {member.email !== null && (
            <p className="mt-0 text-sm text-muted">
              <Email email={member.email} />
            </p>
          )}
          <p className="mt-0 text-sm text-muted">
            Joined <RelativeTime at={member.joinedAt} timezone={studio.timezone} />
          </p>
          {isOnlyOwner && isMe && (
            <p id={reasonId} className="mt-0 text-sm text-muted">
              {isOnlyMember
                ? "To leave, invite another owner first, or delete the studio in Settings."
                : "To leave or change your role, make someone else an owner first."}
            </p>
          )}
          {roleChange.error !== undefined && <ErrorMessage error={roleChange.error} />}
        </div>
      </div>
      <div className={canChangeRole ? "max-sm:pl-10" : "max-sm:self-start"}>
        <RowActions isColumnOnPhone={!canChangeRole}>
          {canChangeRole ? (
            <select
              className="min-h-control w-auto py-1 sm:w-26 sm:pointer-coarse:w-32"
              aria-label={`Role of ${member.name}`}
              value={roleChange.displayedRole}
              onChange={(event) => roleChange.requestChange(event.target.value as Role)}
            >
              {manageableRoles.map((role) => (
                <option key={role} value={role}>
                  {roleLabels[role]}
                </option>
              ))}
            </select>
          ) : (
            <span className="text-muted sm:w-26 sm:px-2.5 sm:pointer-coarse:w-32">{roleLabels[member.role]}</span>
          )}
          {canLeave && (
            <Button
              variant="dangerOutline"
              className="sm:min-w-26"
              disabled={isOnlyOwner}
              aria-describedby={isOnlyOwner ? reasonId : undefined}
              onClick={confirmRemoval}
            >
              Leave
            </Button>
          )}
          {canRemove && (
            <Button
              variant="dangerOutline"
              className="sm:min-w-26"
              onClick={confirmRemoval}
              aria-label={`Remove ${member.name}`}
            >
              Remove
            </Button>
          )}
          {/* Aligns the role with those of the rows that have a button. */}
          {!canLeave && !canRemove && <span className="w-26 max-sm:hidden" />}
        </RowActions>
      </div>
    </ListRow>
  );
}

/** Changes a role immediately; a toast offers Undo. Asks first if the change affects ownership or the user's own role. */
function useChangeRole(member: Member, isMe: boolean) {
  const { studio } = useStudio();
  const confirm = useConfirm();
  const showToast = useToast();
  const [pendingRole, setPendingRole] = useState<Role>();
  const { error, run } = useAction();

  const saveRole = (role: Role) => changeRole({ studioId: studio.id, userId: member.userId }, { role });

  async function saveRoleWithUndo(role: Role, canUndo: boolean): Promise<void> {
    setPendingRole(role);
    await run(async () => {
      await saveRole(role);
      const undo = { label: "Undo", run: () => void saveRoleWithUndo(member.role, false) };
      showToast({ text: `${member.name} is now ${withArticle(role)}.`, ...(canUndo ? { action: undo } : {}) });
    });
    setPendingRole(undefined);
  }

  function requestChange(role: Role): void {
    if (!isMe && role !== "owner" && member.role !== "owner") {
      void saveRoleWithUndo(role, true);
      return;
    }
    confirm({
      title: isMe ? `Change your own role to ${role}?` : `Change the role of ${member.name} to ${role}?`,
      body: <p>{describeConsequence(member, role, isMe)}</p>,
      action: `Change to ${role}`,
      busyLabel: "Changing…",
      run: () => saveRole(role),
    });
  }

  return { requestChange, displayedRole: pendingRole ?? member.role, error };
}

function describeConsequence(member: Member, role: Role, isMe: boolean): string {
  if (isMe)
    return "You’ll lose the permissions of your current role. Only someone who can manage that role can give it back.";
  if (role === "owner")
    return `${member.name} will have full access: they can manage you and every other owner, and delete the studio.`;
  return `${member.name} will no longer be an owner. AI clients that act for them lose the same permissions immediately.`;
}

function useRemoveMember(member: Member, isMe: boolean): () => void {
  const { studio } = useStudio();
  const navigate = useNavigate();
  const confirm = useConfirm();
  return () => {
    confirm({
      title: isMe ? `Leave ${studio.name}?` : `Remove ${member.name}?`,
      body: isMe ? (
        <p>You and your AI clients lose access immediately. To return, you’ll need a new invitation.</p>
      ) : (
        <p>
          {member.name} and their AI clients lose access to {studio.name} immediately. Their posts stay. To return,
          they’ll need a new invitation.
        </p>
      ),
      action: isMe ? "Leave studio" : "Remove",
      busyLabel: isMe ? "Leaving…" : "Removing…",
      run: async () => {
        if (!isMe) return removeMember({ studioId: studio.id, userId: member.userId });
        await leaveStudio({ studioId: studio.id, userId: member.userId });
        return navigate({ to: "/" });
      },
    });
  };
}
