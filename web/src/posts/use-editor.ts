import { useEffect, useEffectEvent, useState } from "react";
import { saveEdit } from "../api/mutations.ts";
import { isRedirecting } from "../api/client.ts";
import type { Post, PostStatus } from "../api/queries.ts";
import { useDraft, type DraftController, type SaveResult } from "./use-draft.ts";
import { useVariantDrafts, type VariantDrafts } from "./use-variant-drafts.ts";

/** The draft of a post and of its variants, which are saved together. */
export interface EditorController extends DraftController {
  variantDrafts: VariantDrafts;
  /** Whether the user must choose between two versions. */
  hasConflict: boolean;
  /** The newest version that the server returned. */
  latestPost: Post;
  saveStatus: (status: PostStatus) => Promise<void>;
}

/** What to tell the user if an action needs a saved post and `save` did not return `saved`. */
export const unsavedMessages: Record<Exclude<SaveResult, "saved">, string> = {
  conflict: "Choose between the two versions first.",
  failed: "Your last edits aren’t saved yet. Try again in a moment.",
};

export function useEditor(post: Post, studioId: string, onMerge: (authors: string) => void): EditorController {
  const controller = useDraft(post, studioId, onMerge);
  const { base } = controller;
  // After a save, `base` is newer than the query.
  const latestPost = base.revision > post.revision ? { ...base, publications: post.publications } : post;
  const variantDrafts = useVariantDrafts(latestPost, controller, studioId);
  // One request after the other, because the second one needs the revision that the first one returns.
  const save = async (): Promise<SaveResult> => {
    const results = [await controller.save(), await variantDrafts.save()];
    return results.find((result) => result !== "saved") ?? "saved";
  };
  const [statusSaveCount, setStatusSaveCount] = useState(0);
  async function saveStatus(status: PostStatus): Promise<void> {
    setStatusSaveCount((count) => count + 1);
    try {
      controller.accept(await saveEdit({ studioId, postId: post.id }, { status }));
    } finally {
      setStatusSaveCount((count) => count - 1);
    }
  }
  // The last attempt if the user leaves with unsaved edits (use-save-on-leave.ts).
  const saveOnLeave = useEffectEvent(save);
  useEffect(() => () => void saveOnLeave(), []);

  useEffect(() => {
    if (!variantDrafts.isUnsaved) return undefined;
    const confirmLeave = (event: BeforeUnloadEvent): void => {
      if (!isRedirecting()) event.preventDefault();
    };
    window.addEventListener("beforeunload", confirmLeave);
    return () => window.removeEventListener("beforeunload", confirmLeave);
  }, [variantDrafts.isUnsaved]);

  return {
    ...controller,
    variantDrafts,
    latestPost,
    isUnsaved: controller.isUnsaved || variantDrafts.isUnsaved,
    isSaving: controller.isSaving || variantDrafts.isSaving || statusSaveCount > 0,
    error: controller.error ?? variantDrafts.error,
    hasConflict: controller.theirs !== undefined || variantDrafts.conflictIds.length > 0,
    save,
    saveStatus,
  };
}
