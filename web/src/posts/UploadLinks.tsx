import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { createUploadLink, withdrawUploadLink } from "../api/mutations.ts";
import { refreshQueries, uploadLinksQuery, type Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { useConfirm } from "../ui/Confirm.tsx";
import { CopyField } from "../ui/CopyField.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { Modal } from "../ui/Modal.tsx";
import { RelativeTime } from "../ui/RelativeTime.tsx";

/** Open upload links, through which people without an account can upload files to this post. */
export function UploadLinks({ post }: { post: Post }) {
  const { studio, may } = useStudio();
  const queryClient = useQueryClient();
  const confirm = useConfirm();
  const { data } = useQuery(uploadLinksQuery(studio.id, post.id));
  const [createdUrl, setCreatedUrl] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function createLink(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      setCreatedUrl((await createUploadLink(studio.id, post.id, false)).url);
      await refreshQueries(queryClient, studio.id);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  function withdraw(linkId: string): void {
    confirm({
      title: "Withdraw this upload link?",
      body: <p>It stops working immediately. Uploaded files stay; unfinished uploads are canceled.</p>,
      action: "Withdraw",
      busy: "Withdrawing…",
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
          <Button variant="quiet" onClick={() => void createLink()} busyLabel={busy && "Creating link…"}>
            Create upload link
          </Button>
        </div>
      )}
      {error !== undefined && <ErrorMessage error={error} />}
      <ul className="rows mt-4">
        {data?.links.map(({ id, createdBy, client, expiresAt, arrived, onTheWay }) => (
          <li key={id} className="member-row">
            <p className="m-0 min-w-0 text-sm">
              Upload link by {createdBy.name}
              {client && ` through ${client.name}`}, expires <RelativeTime at={expiresAt} timezone={studio.timezone} />
              <span className="block text-muted">
                {arrived} received, {onTheWay} uploading
              </span>
            </p>
            {may("assets.write") && (
              <Button
                variant="quiet"
                onClick={() => withdraw(id)}
                aria-label={`Withdraw the upload link by ${createdBy.name}`}
              >
                Withdraw
              </Button>
            )}
          </li>
        ))}
      </ul>
      {createdUrl !== undefined && (
        <Modal title="Share this upload link" onClose={() => setCreatedUrl(undefined)}>
          <p className="text-muted">
            For 30 minutes, anyone with this link can upload files of any size to this post; no account needed. Copy it
            now: it won’t be shown again. You can withdraw it here.
          </p>
          <CopyField label="Upload link" text={createdUrl} />
          <p className="text-right">
            <Button onClick={() => setCreatedUrl(undefined)}>Done</Button>
          </p>
        </Modal>
      )}
    </div>
  );
}
