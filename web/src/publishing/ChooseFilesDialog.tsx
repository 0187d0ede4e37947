import { useState } from "react";
import { selectForAccount } from "#portable/select-for-account.ts";
import { ApiError } from "../api/api-error.ts";
import { updatePost } from "../api/mutations.ts";
import type { Asset, Post } from "../api/queries.ts";
import { AssetGridItem } from "../assets/AssetGrid.tsx";
import { PickableAsset } from "../assets/PickableAsset.tsx";
import { useStudio } from "../layout/use-studio.ts";
import { changeVariant } from "../posts/change-variant.ts";
import { updateLatestPost } from "../posts/update-latest-post.ts";
import { findRejection } from "../preview/find-rejection.ts";
import { Checkbox } from "../ui/Checkbox.tsx";
import { FormDialog } from "../ui/FormDialog.tsx";
import { useToast } from "../ui/Toasts.tsx";
import { describeFileChoice } from "./describe-file-choice.ts";
import { listFileLimits, suggestFiles, type FileLimit } from "./suggest-files.ts";
import type { Account } from "./use-accounts.ts";

/** Lets the user choose which files of a post one account gets. At first, suggests files that the platform accepts. */
export function ChooseFilesDialog({
  post,
  account: { connectionId, label, platformName, problems: currentProblems, fileChoice },
  onSave,
  onClose,
}: {
  post: Post;
  account: Account;
  onSave?: (savedPost: Post) => void;
  onClose: () => void;
}) {
  const { studio } = useStudio();
  const showToast = useToast();
  // Others can change the post while the dialog is open.
  const [initialPost] = useState(post);
  const [problems] = useState(currentProblems);
  const [chosenIds, setChosenIds] = useState<readonly string[]>(() => {
    const { assets } = selectForAccount(post, connectionId);
    return (fileChoice === undefined ? suggestFiles(assets, problems) : assets).map(({ id }) => id);
  });
  const chosenFiles = post.assets.filter(({ id }) => chosenIds.includes(id));
  // A file that another member removes from the post meanwhile can return to it.
  const isAll = [...initialPost.assets, ...post.assets].every(({ id }) => chosenIds.includes(id));

  function computeChange(currentPost: Post): Pick<Post, "variants"> {
    const { assets, variants } = currentPost;
    if (getChoiceKey(currentPost, connectionId, assets) !== getChoiceKey(initialPost, connectionId, assets))
      throw new ApiError(
        409,
        "revision_conflict",
        "Another member has chosen other files for this account.",
        "Close this dialog and open it again.",
      );
    const assetIds = isAll ? undefined : assets.map(({ id }) => id).filter((id) => chosenIds.includes(id));
    return { variants: changeVariant(variants, connectionId, { assetIds }) };
  }

  async function save(): Promise<void> {
    const savedPost = await updateLatestPost(updatePost, studio.id, post, computeChange);
    onSave?.(savedPost);
    showToast({ text: `${label} gets ${describeFileChoice(chosenFiles.length, post.assets.length)}.` });
    onClose();
  }

  return (
    <FormDialog title={`Files for ${label}`} submitLabel="Save" busyLabel="Saving…" onSubmit={save} onClose={onClose}>
      <p className="mt-3 text-muted">
        Choose the files that this account gets, in the order of the post. Other accounts don’t change.
      </p>
      <fieldset className="mt-3">
        <legend className="sr-only">Files of the post</legend>
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1">
          <Checkbox
            label="All files"
            checked={isAll || (chosenFiles.length > 0 && "mixed")}
            onChange={(isChecked) => setChosenIds(isChecked ? post.assets.map(({ id }) => id) : [])}
          />
          <p className="m-0 text-sm text-muted" role="status">
            {chosenFiles.length} of {post.assets.length} chosen.
            {listFileLimits(problems).map((limit) => (
              <span key={limit.kind} className={isExceeded(chosenFiles, limit) ? "text-danger" : ""}>
                {` ${platformName} accepts up to ${limit.max} ${limit.kind ? kindLabels[limit.kind] : "files"}.`}
              </span>
            ))}
          </p>
        </div>
        <div className="mt-3 max-h-[50vh] overflow-auto p-1">
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(7rem,calc(33%-0.75rem)),1fr))] gap-x-3 gap-y-4">
            {post.assets.map((asset) => (
              <AssetGridItem key={asset.id}>
                <PickableAsset
                  asset={asset}
                  isSelected={chosenIds.includes(asset.id)}
                  note={findRejection(problems, asset.id) && `${platformName} rejects this file.`}
                  onChange={(isSelected) =>
                    setChosenIds(isSelected ? [...chosenIds, asset.id] : chosenIds.filter((id) => id !== asset.id))
                  }
                />
              </AssetGridItem>
            ))}
          </ul>
        </div>
      </fieldset>
    </FormDialog>
  );
}

/** Identifies the choice of an account, as far as it concerns these assets. */
function getChoiceKey({ variants }: Post, connectionId: string, assets: readonly Asset[]): string | undefined {
  const assetIds = variants.find((variant) => variant.connectionId === connectionId)?.assetIds;
  return (
    assetIds &&
    assets
      .filter(({ id }) => assetIds.includes(id))
      .map(({ id }) => id)
      .join(" ")
  );
}

const kindLabels: Record<Asset["kind"], string> = { image: "images", video: "videos", document: "documents" };

const isExceeded = (files: readonly Asset[], { max, kind }: FileLimit): boolean =>
  files.filter((file) => kind === undefined || file.kind === kind).length > max;
