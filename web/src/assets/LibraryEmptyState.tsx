import { getRouteApi } from "@tanstack/react-router";
import { Images } from "lucide-react";
import { useStudio } from "../layout/use-studio.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { labelClearButton } from "../ui/describe-no-match.ts";
import { EmptyState } from "../ui/EmptyState.tsx";
import { NoMatch } from "../ui/NoMatch.tsx";
import type { ChosenFile } from "../upload/upload-task.ts";
import { kindLabels } from "./labels.ts";
import { UploadButton } from "./UploadButton.tsx";

const route = getRouteApi("/studios/$studioId/assets");

export function LibraryEmptyState({ onFiles }: { onFiles: (chosenFiles: readonly ChosenFile[]) => void }) {
  const { studio, may } = useStudio();
  const { q, tag, kind, usage } = route.useSearch();
  const params = { studioId: studio.id };
  if (usage === "unused" && q === undefined && tag === undefined && kind === undefined)
    return (
      <EmptyState
        title="No unused files"
        icon={Images}
        actions={
          <ButtonLink variant="secondary" to="/studios/$studioId/assets" params={params}>
            Show all files
          </ButtonLink>
        }
      >
        Files that no post uses appear here.
      </EmptyState>
    );
  if (q !== undefined || tag !== undefined || kind !== undefined || usage !== undefined) {
    const kindText = kind === undefined ? "files" : kindLabels[kind].toLowerCase();
    return (
      <NoMatch
        noun="files"
        search={{ q, tag }}
        itemsText={usage === undefined ? kindText : `${usage} ${kindText}`}
        clear={
          <ButtonLink variant="secondary" to="/studios/$studioId/assets" params={params}>
            {labelClearButton(q, [tag, kind, usage])}
          </ButtonLink>
        }
      />
    );
  }
  return (
    <EmptyState
      title="No files yet"
      icon={Images}
      actions={
        <>
          {may("assets.write") && <UploadButton onFiles={onFiles} />}
          <ButtonLink variant="secondary" to="/studios/$studioId/connect" params={params}>
            Connect an AI client
          </ButtonLink>
        </>
      }
    >
      Images, videos and documents appear here.{" "}
      <span className="pointer-coarse:hidden">Drop files anywhere on this page, or ask</span>
      <span className="hidden pointer-coarse:inline">Upload files, or ask</span> a connected AI client to add some.
    </EmptyState>
  );
}
