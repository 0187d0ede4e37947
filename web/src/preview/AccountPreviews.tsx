import { useState } from "react";
import type { Post } from "../api/queries.ts";
import type { DraftController } from "../posts/use-draft.ts";
import type { Account } from "../publishing/use-accounts.ts";
import { AccountPreview } from "./AccountPreview.tsx";

interface PreviewProps {
  post: Post;
  controller: DraftController;
  accounts: readonly Account[];
}

/** What the post will look like on each account that it can be published to. */
export function AccountPreviews({ post, controller, accounts }: PreviewProps) {
  const availableAccounts = accounts.filter(({ isAvailable }) => isAvailable);
  if (availableAccounts.length === 0) return null;
  return (
    <>
      <h3 className="mt-8 mb-2 font-serif text-lg">Preview per account</h3>
      <ul className="divide-y divide-rule border-y border-rule" aria-label="Preview per account">
        {availableAccounts.map((account) => (
          <li key={account.connectionId}>
            <PreviewDisclosure post={post} controller={controller} account={account} accounts={availableAccounts} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** Renders the preview only while it is open: it makes the server convert images. */
function PreviewDisclosure({ account, accounts, ...rest }: PreviewProps & { account: Account }) {
  const [isOpen, setIsOpen] = useState(false);
  const { label, platform, platformName } = account;
  const isShared = accounts.filter((other) => other.platform === platform).length > 1;
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer py-3 [overflow-wrap:anywhere]">
        <span className="sr-only">Preview: </span>
        <b>{label}</b> <span className="text-muted">{platformName}</span>
      </summary>
      {isOpen && <AccountPreview account={account} sharesCrops={isShared} {...rest} />}
    </details>
  );
}
