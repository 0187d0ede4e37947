import { useState, type ReactNode } from "react";
import type { Publication } from "../api/publication-queries.ts";
import type { Post } from "../api/queries.ts";
import { OptionsDialog } from "./OptionsDialog.tsx";
import { usePlatformOptions } from "./use-platform-options.ts";

/** Asks for the options that only a person may choose, if a proposal lacks one, before `approve` gets the saved post. */
export function usePersonOptions(
  { connectionId, platform, account }: Publication,
  submitLabel: string,
  approve: (post: Post) => Promise<unknown>,
): { askAndApprove: (post: Post) => void; optionsDialog: ReactNode } {
  const [post, setPost] = useState<Post>();
  const { schema } = usePlatformOptions(platform);
  return {
    askAndApprove(shownPost) {
      const validation = shownPost.validation?.find((each) => each.connectionId === connectionId);
      if (validation?.problems.some(({ code }) => code === "person_option_missing")) setPost(shownPost);
      else void approve(shownPost);
    },
    optionsDialog: post && (
      <OptionsDialog
        post={post}
        connectionId={connectionId}
        label={account}
        schema={schema.filter(({ chosenBy }) => chosenBy === "person")}
        submitLabel={submitLabel}
        onSave={approve}
        onClose={() => setPost(undefined)}
      />
    ),
  };
}
