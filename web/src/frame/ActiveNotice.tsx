import { Button } from "../ui/Button.tsx";
import { useSwitchStudio } from "./switch-studio.ts";
import { useStudio } from "./use-studio.ts";

/** Looking at one studio while new connections would act in another: said, and mended with one button. */
export function ActiveNotice() {
  const { studio, me } = useStudio();
  const switchTo = useSwitchStudio();
  const active = me.memberships.find((one) => one.studioId === me.activeStudioId);
  if (!active || active.studioId === studio.id) return null;
  return (
    <div className="notice">
      <p className="m-0">
        You are looking at <strong>{studio.name}</strong>, but assistants that you connect will work in{" "}
        <strong>{active.studioName}</strong>, your active studio.
      </p>
      <Button look="quiet" onClick={() => void switchTo({ studioId: studio.id, studioName: studio.name })}>
        Make {studio.name} active
      </Button>
    </div>
  );
}
