import { useNavigate } from "@tanstack/react-router";
import { setActiveStudio } from "../api/mutations.ts";
import { formatError } from "../api/api-error.ts";
import type { Me } from "../api/queries.ts";
import { useToast } from "../ui/Toasts.tsx";

/** Makes a studio the active one, opens it, and explains what this means for connected AI clients. */
export function useSwitchStudio(): (to: Pick<Me["memberships"][number], "studioId" | "studioName">) => Promise<void> {
  const navigate = useNavigate();
  const showToast = useToast();
  return async ({ studioId, studioName }) => {
    try {
      await setActiveStudio(studioId);
    } catch (error) {
      showToast({ text: formatError(error) });
      return;
    }
    await navigate({ to: "/studios/$studioId/posts", params: { studioId } });
    showToast({
      text: `${studioName} is now your active studio. Connected AI clients stay in their current studio until they reconnect.`,
    });
  };
}
