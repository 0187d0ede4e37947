import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { createInvitation } from "../api/mutations.ts";
import { refreshQueries, type Role } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { CopyField } from "../ui/CopyField.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { Modal } from "../ui/Modal.tsx";
import { roleDescriptions } from "../ui/role-descriptions.ts";
import { formatExactTime } from "../ui/RelativeTime.tsx";

/** Creates an invitation link and shows it once: the server stores only a hash of its token. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const [role, setRole] = useState<Role>("member");
  const [email, setEmail] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [link, setLink] = useState<{ url: string; expiresAt: string }>();

  async function create(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      const trimmedEmail = email.trim();
      setLink(await createInvitation(studio.id, { role, ...(trimmedEmail === "" ? {} : { email: trimmedEmail }) }));
      await refreshQueries(queryClient, studio.id);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  if (link) {
    return (
      // A new key mounts a new dialog, which takes the focus from the form.
      <Modal key="link" title="Share this link" onClose={onClose}>
        <p className="text-muted">
          It lets {email.trim() === "" ? "one person" : email.trim()} join {studio.name} as {role} until{" "}
          {formatExactTime(link.expiresAt, studio.timezone)}. Copy it now: it won’t be shown again. You can revoke it
          until it’s used.
        </p>
        <CopyField label="Invitation link" text={link.url} />
        <p className="text-right">
          <Button onClick={onClose}>Done</Button>
        </p>
      </Modal>
    );
  }
  return (
    <Modal title={`Invite someone to ${studio.name}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <fieldset className="mt-5">
          <legend className="font-semibold">Role</legend>
          {studio.manages.toReversed().map((option) => (
            <label key={option} className="choice mt-2" htmlFor={`role-${option}`}>
              <input
                id={`role-${option}`}
                type="radio"
                name="role"
                checked={role === option}
                onChange={() => setRole(option)}
              />
              <span>
                {option}
                <span className="block text-sm text-muted">{roleDescriptions[option]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <label htmlFor="invite-email" className="mt-5">
          Email <span className="font-normal text-muted">(optional)</span>
        </label>
        <input
          id="invite-email"
          type="email"
          className="mt-2"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          maxLength={254}
          autoComplete="off"
          aria-describedby="invite-email-hint"
        />
        <p id="invite-email-hint" className="mt-1 text-sm text-muted">
          If you enter an email, only the person who signs in with it can use the link. We don’t send email; share the
          link yourself.
        </p>
        {error !== undefined && <ErrorMessage error={error} />}
        <div className="mt-7 flex flex-wrap justify-end gap-3">
          <Button variant="quiet" className="min-h-11" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" busyLabel={busy && "Creating…"}>
            Create link
          </Button>
        </div>
      </form>
    </Modal>
  );
}
