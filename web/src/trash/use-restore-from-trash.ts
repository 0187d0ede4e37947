import { useQueryClient } from "@tanstack/react-query";
import { describeError } from "../api/api-error.ts";
import { restoreFromTrash } from "../api/mutations.ts";
import { refreshQueries } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import { restoreFocusSoon } from "../ui/restore-focus.ts";
import { useToast } from "../ui/Toasts.tsx";

/** Restores a post or file from the trash, and reports the result in a toast. */
export function useRestoreFromTrash(): (id: string) => Promise<void> {
  const { studio } = useStudio();
  const queryClient = useQueryClient();
  const showToast = useToast();
  return async (id) => {
    try {
      const { title } = await restoreFromTrash(studio.id, id);
      showToast({ text: `Restored “${title}”.` });
    } catch (error) {
      const { message, hint } = describeError(error);
      showToast({ text: `${message} ${hint}` });
    }
    await refreshQueries(queryClient, studio.id);
    restoreFocusSoon();
  };
}
