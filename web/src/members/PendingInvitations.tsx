import { useQuery } from "@tanstack/react-query";
import { revokeInvitation } from "../api/mutations.ts";
import { invitationsQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { useConfirm } from "../ui/Confirm.tsx";
import { Email } from "../ui/Email.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { formatExactTime } from "../ui/format-time.ts";
import { List, ListRow, RowActions } from "../ui/List.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { roleLabels } from "../ui/roles.ts";

/** Invitation links that have not been used yet. */
export function PendingInvitations() {
  const { studio, may } = useStudio();
  const confirm = useConfirm();
  const { data, error, isError, refetch } = useQuery(invitationsQuery(studio.id));

  function revoke(id: string, recipient: string | null): void {
    confirm({
      title: "Revoke this invitation?",
      body: (
        <p>
          The link {recipient !== null && `for ${recipient} `}stops working immediately. You can create a new one at any
          time.
        </p>
      ),
      action: "Revoke",
      busyLabel: "Revoking…",
      run: () => revokeInvitation({ studioId: studio.id, invitationId: id }),
    });
  }

  return (
    <section className="mt-8" aria-labelledby="pending">
      <h2 id="pending">Pending invitations</h2>
      {isError && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {data?.invitations.length === 0 && <p className="text-muted">No pending invitations.</p>}
      <List className="mt-4">
        {data?.invitations.map(({ id, email, role, createdAt, expiresAt }) => (
          <ListRow key={id} isActionBeside>
            <div className="min-w-0">
              <p className="m-0">{email === null ? "Link for one person" : <Email email={email} />}</p>
              <p className="mt-0 text-sm text-muted">
                {roleLabels[role]}, created <RelativeTime at={createdAt} timezone={studio.timezone} />, expires{" "}
                <RelativeTime at={expiresAt} timezone={studio.timezone} />
              </p>
            </div>
            {may("invitations.revoke") && (
              <RowActions>
                <Button
                  variant="dangerOutline"
                  aria-label={`Revoke invitation ${email === null ? `of ${formatExactTime(createdAt, studio.timezone)}` : `for ${email}`}`}
                  onClick={() => revoke(id, email)}
                >
                  Revoke
                </Button>
              </RowActions>
            )}
          </ListRow>
        ))}
      </List>
    </section>
  );
}
