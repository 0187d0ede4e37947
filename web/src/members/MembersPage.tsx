import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { membersQuery } from "../api/queries.ts";
import { useStudio } from "../frame/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { PageHead } from "../ui/PageHead.tsx";
import { QueryState } from "../ui/QueryState.tsx";
import { HandOver } from "./HandOver.tsx";
import { Invite } from "./Invite.tsx";
import { MemberRow } from "./MemberRow.tsx";
import { PendingInvitations } from "./PendingInvitations.tsx";

export function MembersPage() {
  const { studio, me, may } = useStudio();
  const members = useQuery(membersQuery(studio.id));
  const [open, setOpen] = useState<"invite" | "handOver">();
  const others = members.data?.members.filter(({ userId }) => userId !== me.user.id) ?? [];
  const canHandOver = studio.manages.includes("owner") && others.length > 0;

  return (
    <>
      <PageHead
        title="Members"
        actions={
          <>
            {canHandOver && (
              <Button look="quiet" className="min-h-11" onClick={() => setOpen("handOver")}>
                Hand over
              </Button>
            )}
            {may("invitations.create") && <Button onClick={() => setOpen("invite")}>Invite someone</Button>}
          </>
        }
      >
        Everyone here works on the same posts. Roles decide who manages people, AI clients and the studio itself.
      </PageHead>
      <QueryState of={members} />
      {members.data && (
        <ul className="rows" aria-label="Members">
          {members.data.members.map((member) => (
            <MemberRow key={member.userId} member={member} />
          ))}
        </ul>
      )}
      {may("invitations.list") && <PendingInvitations />}
      {open === "invite" && <Invite onClose={() => setOpen(undefined)} />}
      {open === "handOver" && <HandOver members={others} onClose={() => setOpen(undefined)} />}
    </>
  );
}
