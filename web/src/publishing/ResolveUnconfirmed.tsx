import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { resolvePublication } from "../api/mutations.ts";
import type { Publication } from "../api/publication-queries.ts";
import { platformsQuery } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { useConfirm } from "../ui/Confirm.tsx";
import { TextField } from "../ui/Field.tsx";
import { FormDialog } from "../ui/FormDialog.tsx";
import { Notice } from "../ui/Notice.tsx";
import { mayPublishWithoutApproval } from "./may-publish-without-approval.ts";

/** Lets a person say whether a publication went through, if the platform didn't confirm it. */
export function ResolveUnconfirmed({ publication }: { publication: Publication }) {
  const { studio, may } = useStudio();
  const confirm = useConfirm();
  const [isMarkDialogOpen, setIsMarkDialogOpen] = useState(false);
  const { id, connectionId, account, problem } = publication;
  const { data } = useQuery(platformsQuery(studio.id));
  const profileUrl = data?.connections.find((connection) => connection.id === connectionId)?.account.profileUrl ?? null;
  const accountLink =
    profileUrl === null ? (
      account
    ) : (
      <a href={profileUrl} target="_blank" rel="noreferrer">
        {account}
      </a>
    );

  function confirmRetry(): void {
    confirm({
      title: `Publish to ${account} again?`,
      body: (
        <p>
          If the first attempt did go through, the post appears twice. Look at {account} first, and publish again only
          if the post isn’t there.
        </p>
      ),
      action: "Publish again",
      busyLabel: "Publishing…",
      run: () => resolvePublication({ studioId: studio.id, publicationId: id }, { outcome: "retry" }),
    });
  }

  if (!may("publications.approve") || !mayPublishWithoutApproval(studio))
    return (
      <Notice tone="danger">
        The platform didn’t confirm the post. Ask an owner or admin to look at {accountLink} and say whether it is
        there.
      </Notice>
    );
  return (
    <>
      <Notice
        tone="danger"
        action={
          <span className="flex flex-wrap gap-2 max-sm:grid max-sm:w-full">
            <Button variant="primary" onClick={() => setIsMarkDialogOpen(true)}>
              Yes, mark as published…
            </Button>
            <Button variant="quiet" onClick={confirmRetry}>
              No, publish again
            </Button>
          </span>
        }
      >
        {problem?.message ?? "The platform didn’t confirm the post. Check the account, then say whether it is there."}
        {profileUrl !== null && <> Account: {accountLink}</>}
      </Notice>
      {isMarkDialogOpen && (
        <MarkPublishedDialog
          account={account}
          onSubmit={(url) =>
            resolvePublication(
              { studioId: studio.id, publicationId: id },
              { outcome: "published", ...(url === "" ? {} : { url }) },
            )
          }
          onClose={() => setIsMarkDialogOpen(false)}
        />
      )}
    </>
  );
}

function MarkPublishedDialog({
  account,
  onSubmit,
  onClose,
}: {
  account: string;
  onSubmit: (url: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const [url, setUrl] = useState("");
  return (
    <FormDialog
      title="Mark as published"
      submitLabel="Mark as published"
      busyLabel="Saving…"
      onSubmit={async () => {
        await onSubmit(url.trim());
        onClose();
      }}
      onClose={onClose}
    >
      <p className="text-muted">Do this only if you saw the post on {account}. Atelier doesn’t send it again.</p>
      <div className="mt-5">
        <TextField
          label="URL of the post (optional)"
          hint="On the platform’s own site."
          type="url"
          inputMode="url"
          maxLength={2000}
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
      </div>
    </FormDialog>
  );
}
