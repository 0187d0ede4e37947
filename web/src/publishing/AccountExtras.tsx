import { MessagesSquare, SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { createPortal } from "react-dom";
import { selectForAccount } from "#portable/select-for-account.ts";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { OptionsDialog } from "./OptionsDialog.tsx";
import { ThreadDialog } from "./ThreadDialog.tsx";
import type { Account } from "./use-accounts.ts";
import { usePlatformOptions } from "./use-platform-options.ts";

/** The buttons for the options of one account and for what follows its post, if its platform has them. */
export function AccountExtras({
  post,
  account,
  isDisabled = false,
  hasThread = true,
  onSave,
}: {
  post: Post;
  account: Account;
  /** While the text is not saved. */
  isDisabled?: boolean;
  hasThread?: boolean;
  onSave?: (savedPost: Post) => void;
}) {
  const { may } = useStudio();
  const { schema, canReply } = usePlatformOptions(account.platform);
  const [openDialog, setOpenDialog] = useState<"options" | "thread">();
  if (!may("posts.write") || post.status === "archived" || !account.isAvailable) return null;
  const { connectionId, label } = account;
  const partCount = 1 + selectForAccount(post, connectionId).followUps.length;
  const close = (): void => setOpenDialog(undefined);
  return (
    <div className="mt-2 flex flex-wrap gap-2 empty:hidden">
      {schema.length > 0 && (
        <Button
          variant="secondary"
          size="small"
          icon={SlidersHorizontal}
          disabled={isDisabled}
          aria-label={`Options for ${label}…`}
          onClick={() => setOpenDialog("options")}
        >
          Options…
        </Button>
      )}
      {hasThread && canReply && (
        <Button
          variant="secondary"
          size="small"
          icon={MessagesSquare}
          disabled={isDisabled}
          aria-label={`Thread on ${label}…`}
          onClick={() => setOpenDialog("thread")}
        >
          {partCount === 1 ? "Thread…" : `Thread of ${partCount}…`}
        </Button>
      )}
      {openDialog &&
        // Outside of the form of a dialog around it, because browsers do not support a form in a form.
        createPortal(
          openDialog === "options" ? (
            <OptionsDialog
              post={post}
              connectionId={connectionId}
              label={label}
              schema={schema}
              onSave={onSave}
              onClose={close}
            />
          ) : (
            <ThreadDialog post={post} account={account} onClose={close} />
          ),
          document.body,
        )}
    </div>
  );
}
