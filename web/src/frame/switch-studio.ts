import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { setActiveStudio } from "../api/changes.ts";
import { describeFailure } from "../api/failure.ts";
import { refresh } from "../api/queries.ts";
import { useToast } from "../ui/Toasts.tsx";

/** Makes a studio the active one and goes there. Assistants that are connected are told about in the same breath. */
export function useSwitchStudio(): (to: { studioId: string; studioName: string }) => Promise<void> {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useToast();
  return async ({ studioId, studioName }) => {
    try {
      await setActiveStudio(studioId);
    } catch (error) {
      const { message, hint } = describeFailure(error);
      say({ text: `${message} ${hint}` });
      return;
    }
    await refresh(queries);
    await navigate({ to: "/studios/$studioId/posts", params: { studioId } });
    say({
      text: `${studioName} is your active studio now. Assistants that are connected keep the studio they work in until they reconnect.`,
    });
  };
}
