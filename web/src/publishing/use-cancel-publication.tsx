import { useQueryClient } from "@tanstack/react-query";
import { cancelPublication } from "../api/mutations.ts";
import type { Publication } from "../api/publication-queries.ts";
import { refreshQueries } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { useConfirm } from "../ui/Confirm.tsx";
import { useToast } from "../ui/Toasts.tsx";

/** Cancels a publication that has not started, after the user confirms. */
export function useCancelPublication(): (publication: Publication) => void {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const confirm = useConfirm();
  const showToast = useToast();
  return ({ id, account }) =>
    confirm({
      title: `Cancel publishing to ${account}?`,
      body: <p>Nothing is sent. The post stays, and you can publish it again later.</p>,
      action: "Cancel publication",
      dismiss: "Keep it",
      busyLabel: "Canceling…",
      run: async () => {
        try {
          await cancelPublication(studio.id, id);
          showToast({ text: `Publishing to ${account} was canceled.` });
        } finally {
          await refreshQueries(queryClient, studio.id);
        }
      },
    });
}
