import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { createUploadLink, withdrawUploadLink } from "../api/mutations.ts";
import { uploadLinksQuery, type Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { useConfirm } from "../ui/Confirm.tsx";
import { formatActor } from "../ui/format-actor.ts";
import { LinkDialog } from "../ui/LinkDialog.tsx";
import { List, ListRow } from "../ui/List.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { useAction } from "../ui/use-action.ts";

type UploadLinksState = ReturnType<typeof useUploadLinks>;

/** Upload links, through which people without an account can upload files to this post. */
export function useUploadLinks(post: Post) {
  const { studio } = useStudio();
  const confirm = useConfirm();
  const { data } = useQuery(uploadLinksQuery(studio.id, post.id));
  const [createdUrl, setCreatedUrl] = useState<string>();
  const { error, run } = useAction();

  return {
    /** The links that still accept files. */
    links: data?.links ?? [],
    error,
    createdUrl,
    clearCreatedUrl: () => setCreatedUrl(undefined),
    create: () =>
      void run(async () => {
        setCreatedUrl((await createUploadLink({ studioId: studio.id, postId: post.id })).url);
      }),
    withdraw: (linkId: string) =>
      confirm({
        title: "Withdraw this upload link?",
        body: <p>It stops working immediately. Uploaded files stay; unfinished uploads are canceled.</p>,
        action: "Withdraw",
        busyLabel: "Withdrawing…",
        run: () => withdrawUploadLink({ studioId: studio.id, postId: post.id, linkId }),
      }),
  };
}

/** The open upload links of the post. */
export function UploadLinks({ links: { links, createdUrl, clearCreatedUrl, withdraw } }: { links: UploadLinksState }) {
  const { studio, may } = useStudio();
  return (
    <>
      {links.length > 0 && (
        <List className="mt-5 border-b-0 text-sm [&>li:last-child]:pb-0" aria-label="Upload links">
          {links.map(({ id, createdBy, client, expiresAt, receivedFiles, uploadingFiles }) => (
            <ListRow key={id} isActionBeside>
              <p className="m-0 min-w-0">
                Upload link by {formatActor(createdBy, client)}, expires{" "}
                <RelativeTime at={expiresAt} timezone={studio.timezone} />
                <span className="block text-muted">
                  {receivedFiles + uploadingFiles === 0
                    ? "No files yet"
                    : `${receivedFiles} received, ${uploadingFiles} uploading`}
                </span>
              </p>
              {may("assets.write") && (
                <Button
                  variant="secondary"
                  size="small"
                  onClick={() => withdraw(id)}
                  aria-label={`Withdraw the upload link by ${formatActor(createdBy, client)}`}
                >
                  Withdraw
                </Button>
              )}
            </ListRow>
          ))}
        </List>
      )}
      {createdUrl !== undefined && (
        <LinkDialog
          title="Share this upload link"
          label="Upload link"
          url={createdUrl}
          lossText="It won’t be shown again. It stays listed under Files, where you can withdraw it."
          onClose={clearCreatedUrl}
        >
          For 30 minutes, anyone with this link can upload files of any size to this post; no account needed. Copy it
          now: it won’t be shown again. You can withdraw it under Files.
        </LinkDialog>
      )}
    </>
  );
}
