import { useRestoreFromTrash } from "../trash/use-restore-from-trash.ts";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";

/** Shown when another user or an AI client deletes the open post. The editor stays open, so that no unsaved text is lost. */
export function DeletedNotice({ postId }: { postId: string }) {
  const restore = useRestoreFromTrash();
  return (
    <div role="alert">
      <Notice
        action={
          <Button variant="quiet" onClick={() => void restore(postId)}>
            Restore post
          </Button>
        }
      >
        This post was moved to the trash. Restore it to continue editing.
      </Notice>
    </div>
  );
}
