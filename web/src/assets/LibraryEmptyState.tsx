import { getRouteApi } from "@tanstack/react-router";
import { Images, SearchX } from "lucide-react";
import { useStudio } from "../layout/use-studio.ts";
import { ButtonLink } from "../ui/Button.tsx";
import { describeNoMatch } from "../ui/describe-no-match.ts";
import { EmptyState } from "../ui/EmptyState.tsx";
import type { ChosenFile } from "../upload/upload-task.ts";
import { kindLabels } from "./labels.ts";
import { UploadButton } from "./UploadButton.tsx";

const route = getRouteApi("/studios/$studioId/assets");

export function LibraryEmptyState({ onFiles }: { onFiles: (chosenFiles: readonly ChosenFile[]) => void }) {
  const { studio, may } = useStudio();
  const { q, tag, kind, usage } = route.useSearch();
  const params = { studioId: studio.id };
  if (q !== undefined || tag !== undefined || kind !== undefined || usage !== undefined) {
    const kindText = kind === undefined ? "files" : kindLabels[kind].toLowerCase();
    const itemsText = usage === undefined ? kindText : `${usage} ${kindText}`;
    return (
      <EmptyState
        title="No matching files"
        icon={SearchX}
        actions={
          <ButtonLink variant="secondary" to="/studios/$studioId/assets" params={params}>
            Show all files
          </ButtonLink>
        }
      >
        {describeNoMatch("files", { q, tag }, itemsText) ?? `This studio has no ${itemsText}.`}
      </EmptyState>
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
