import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { formatError } from "../api/api-error.ts";
import { restoreFromTrash } from "../api/mutations.ts";
import { refreshQueries } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { restoreFocusSoon } from "../ui/restore-focus.ts";
import { useToast } from "../ui/Toasts.tsx";

/** Restores a post or file from the trash, and reports the result in a toast, which leads to a post. */
export function useRestoreFromTrash(): (id: string) => Promise<void> {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const showToast = useToast();
  const router = useRouter();
  return async (id) => {
    try {
      const { title, type } = await restoreFromTrash(studio.id, id);
      const link = { to: "/studios/$studioId/posts/$postId", params: { studioId: studio.id, postId: id } } as const;
      const isOpen = router.state.location.pathname === router.buildLocation(link).pathname;
      showToast({
        text: `Restored “${title}”.`,
        ...(type === "post" && !isOpen && { action: { label: "Open", run: () => void router.navigate(link) } }),
      });
    } catch (error) {
      showToast({ text: formatError(error) });
    }
    await refreshQueries(queryClient, studio.id);
    restoreFocusSoon();
  };
}
