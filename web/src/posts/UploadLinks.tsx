import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { createUploadLink, withdrawUploadLink } from "../api/mutations.ts";
import { refreshQueries, uploadLinksQuery, type Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { useConfirm } from "../ui/Confirm.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { formatActor } from "../ui/format-actor.ts";
import { LinkDialog } from "../ui/LinkDialog.tsx";
import { List, ListRow, RowActions } from "../ui/List.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";
import { useAction } from "../ui/use-action.ts";

/** Open upload links, through which people without an account can upload files to this post. */
export function UploadLinks({ post }: { post: Post }) {
  const { studio, may } = useStudio();
  const queryClient = useQueryClient();
  const confirm = useConfirm();
  const { data } = useQuery(uploadLinksQuery(studio.id, post.id));
  const [createdUrl, setCreatedUrl] = useState<string>();
  const { isRunning, error, run } = useAction();

  async function createLink(): Promise<void> {
    setCreatedUrl((await createUploadLink(studio.id, post.id, { inPlace: false })).url);
    await refreshQueries(queryClient, studio.id);
  }

  function withdraw(linkId: string): void {
    confirm({
      title: "Withdraw this upload link?",
      body: <p>It stops working immediately. Uploaded files stay; unfinished uploads are canceled.</p>,
      action: "Withdraw",
      busyLabel: "Withdrawing…",
      run: async () => {
        await withdrawUploadLink(studio.id, post.id, linkId);
        await refreshQueries(queryClient, studio.id);
      },
    });
  }

  return (
    <div className="mt-10">
      {may("assets.write") && post.status !== "archived" && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <div className="min-w-0 flex-[1_1_16rem]">
            <h3 className="m-0 font-serif text-lg">Request files</h3>
            <p className="m-0 text-sm text-muted">Anyone with the link can upload; no account needed.</p>
          </div>
          <Button variant="quiet" onClick={() => void run(createLink)} busyLabel={isRunning && "Creating link…"}>
            Create upload link
          </Button>
        </div>
      )}
      {error !== undefined && <ErrorMessage error={error} />}
      <List className="mt-4">
        {data?.links.map(({ id, createdBy, client, expiresAt, receivedFiles, uploadingFiles }) => (
          <ListRow key={id}>
            <p className="m-0 min-w-0 text-sm">
              Upload link by {formatActor(createdBy, client)}, expires{" "}
              <RelativeTime at={expiresAt} timezone={studio.timezone} />
              <span className="block text-muted">
                {receivedFiles} received, {uploadingFiles} uploading
              </span>
            </p>
            {may("assets.write") && (
              <RowActions>
                <Button
                  variant="quiet"
                  onClick={() => withdraw(id)}
                  aria-label={`Withdraw the upload link by ${formatActor(createdBy, client)}`}
                >
                  Withdraw
                </Button>
              </RowActions>
            )}
          </ListRow>
        ))}
      </List>
      {createdUrl !== undefined && (
        <LinkDialog
          title="Share this upload link"
          label="Upload link"
          url={createdUrl}
          onClose={() => setCreatedUrl(undefined)}
        >
          For 30 minutes, anyone with this link can upload files of any size to this post; no account needed. Copy it
          now: it won’t be shown again. You can withdraw it here.
        </LinkDialog>
      )}
    </div>
  );
}
