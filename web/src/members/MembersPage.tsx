import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { membersQuery, type Studio } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { List } from "../ui/List.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { QueryStatus } from "../ui/QueryStatus.tsx";
import { TransferOwnershipDialog } from "./TransferOwnershipDialog.tsx";
import { InviteDialog } from "./InviteDialog.tsx";
import { MemberRow } from "./MemberRow.tsx";
import { PendingInvitations } from "./PendingInvitations.tsx";

export function MembersPage() {
  const { studio, me, may } = useStudio();
  const members = useQuery(membersQuery(studio.id));
  const [visibleDialog, setVisibleDialog] = useState<"invite" | "transfer">();
  const otherMembers = members.data?.members.filter(({ userId }) => userId !== me.user.id) ?? [];
  const ownerCount = members.data?.members.filter(({ role }) => role === "owner").length;
  const { manages: manageableRoles } = studio;
  const canTransferOwnership = manageableRoles.includes("owner") && otherMembers.length > 0;

  return (
    <>
      <PageHeader
        title="Members"
        actions={
          <>
            {canTransferOwnership && (
              <Button
                variant="secondary"
                className="max-sm:order-last max-sm:basis-full"
                onClick={() => setVisibleDialog("transfer")}
              >
                Transfer ownership…
              </Button>
            )}
            {may("invitations.create") && (
              <Button className="max-sm:basis-full" onClick={() => setVisibleDialog("invite")}>
                Invite someone…
              </Button>
            )}
          </>
        }
      >
        Everyone here works on the same posts. {describePublishing(studio.approval)} Roles determine who can manage
        members, AI clients and the studio.{" "}
        {may("studio.update") && (
          <Link to="/studios/$studioId/settings" params={{ studioId: studio.id }}>
            Change who approves
          </Link>
        )}
      </PageHeader>
      <QueryStatus query={members} />
      {members.data && (
        <List aria-label="Members">
          {members.data.members.map((member) => (
            <MemberRow
              key={member.userId}
              member={member}
              isOnlyOwner={member.role === "owner" && ownerCount === 1}
              isOnlyMember={otherMembers.length === 0}
            />
          ))}
        </List>
      )}
      {may("invitations.list") && <PendingInvitations />}
      {visibleDialog === "invite" && <InviteDialog onClose={() => setVisibleDialog(undefined)} />}
      {visibleDialog === "transfer" && (
        <TransferOwnershipDialog members={otherMembers} onClose={() => setVisibleDialog(undefined)} />
      )}
    </>
  );
}

/** Who publishes and who approves. Completes the introduction of the page. */
const describePublishing = (approval: Studio["approval"]): string =>
  approval === "everyone"
    ? "Owners and admins publish, and approve what members and AI clients propose."
    : "Everyone can publish, and approve what AI clients and other members propose.";
