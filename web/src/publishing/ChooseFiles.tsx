import { Images } from "lucide-react";
import { useState } from "react";
import { createPortal } from "react-dom";
import type { Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { Button } from "../ui/Button.tsx";
import { ChooseFilesDialog } from "./ChooseFilesDialog.tsx";
import { isSolvedByFewerFiles } from "./suggest-files.ts";
import type { Account } from "./use-accounts.ts";

/**
 * The button for the dialog in which the user chooses the files of one account. Shown if a choice can solve a problem or
 * has been made, or always with `isAlwaysShown`.
 */
export function ChooseFiles({
  post,
  account,
  isAlwaysShown = false,
  className = "",
  onSave,
}: {
  post: Post;
  account: Account;
  isAlwaysShown?: boolean;
  className?: string;
  onSave?: (savedPost: Post) => void;
}) {
  const { may } = useStudio();
  const [isOpen, setIsOpen] = useState(false);
  const canChoose = may("posts.write") && post.status !== "archived" && post.assets.length > 0 && account.isAvailable;
  const isNeeded = isAlwaysShown || account.fileChoice !== undefined || account.problems.some(isSolvedByFewerFiles);
  // An open dialog stays if another member solves the problem.
  if (!isOpen && !(canChoose && isNeeded)) return null;
  return (
    <>
      <Button
        variant="secondary"
        size="small"
        icon={Images}
        className={className}
        aria-label={`Choose files for ${account.label}…`}
        onClick={() => setIsOpen(true)}
      >
        Choose files…
      </Button>
      {isOpen &&
        // Outside of the form of a dialog around it, because browsers do not support a form in a form.
        createPortal(
          <ChooseFilesDialog
            post={post}
            account={account}
            onClose={() => setIsOpen(false)}
            {...(onSave && { onSave })}
          />,
          document.body,
        )}
    </>
  );
}
