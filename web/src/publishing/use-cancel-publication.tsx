import { inBatch } from "../api/change.ts";
import { cancelPublication } from "../api/mutations.ts";
import type { Publication } from "../api/publication-queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useConfirm } from "../ui/Confirm.tsx";
import { useToast } from "../ui/Toasts.tsx";

/**
 * Cancels publications of a post that have not started, after the user confirms. `isOwnRequest`: whether they are
 * requests of this user that are not approved.
 */
export function useCancelPublication({ isOwnRequest = false } = {}): (
  ...publications: readonly Pick<Publication, "id" | "account">[]
) => void {
  const { studio } = useStudio();
  const confirm = useConfirm();
  const showToast = useToast();
  return (...publications) => {
    const accounts = publications.map(({ account }) => account).join(", ");
    const remainingIds = new Set(publications.map(({ id }) => id));
    confirm({
      title: isOwnRequest ? `Withdraw the request to publish to ${accounts}?` : `Cancel publishing to ${accounts}?`,
      body: isOwnRequest ? (
        <p>Nothing is sent. The post stays, and you can ask again later.</p>
      ) : (
        <p>Nothing is sent. The post stays, and you can still publish it later.</p>
      ),
      action: isOwnRequest ? "Withdraw request" : "Cancel publication",
      dismiss: "Keep it",
      busyLabel: isOwnRequest ? "Withdrawing…" : "Canceling…",
      run: () =>
        inBatch(async () => {
          // If one fails, a retry continues with it.
          for (const id of remainingIds) {
            await cancelPublication({ studioId: studio.id, publicationId: id });
            remainingIds.delete(id);
          }
          showToast({
            text: isOwnRequest
              ? `Request to publish to ${accounts} withdrawn.`
              : `Publishing to ${accounts} was canceled.`,
          });
        }),
    });
  };
}
