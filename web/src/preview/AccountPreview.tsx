import { useState } from "react";
import { selectForAccount } from "#portable/select-for-account.ts";
import type { Asset, Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { EditorController } from "../posts/use-editor.ts";
import { describeFileChoice } from "../publishing/describe-file-choice.ts";
import { ChooseFiles } from "../publishing/ChooseFiles.tsx";
import { ProblemList, type AccountProblem } from "../publishing/ProblemList.tsx";
import type { Account } from "../publishing/use-accounts.ts";
import { getFirstCharacter } from "../ui/first-character.ts";
import type { Size } from "./crop-window.ts";
import { FileSettings } from "./FileSettings.tsx";
import { findCrop, getRenditionUrl, type RenditionSize } from "./get-rendition-url.ts";
import { findRenditionSize } from "./find-rendition-size.ts";
import { findRejection } from "./find-rejection.ts";
import { getDisplay } from "./platform-displays.ts";
import { PreviewGallery, type PreviewFile } from "./PreviewGallery.tsx";
import { PreviewText } from "./PreviewText.tsx";

/**
 * A post as one account receives it, in a frame like the platform's, and the settings of its files: two items of the
 * tab's grid. In two columns, the settings are below the text, so that neither column is much longer.
 */
export function AccountPreview({
  post,
  editor,
  account,
  text,
  sharesCrops,
}: {
  post: Post;
  editor: EditorController;
  account: Account;
  /** The text that the account gets, with edits that are not saved yet. */
  text: string;
  /** Whether the studio has other accounts on the platform, to which a crop also applies. */
  sharesCrops: boolean;
}) {
  const { studio } = useStudio();
  const [renditionSizes, setRenditionSizes] = useState<Readonly<Record<string, RenditionSize>>>({});
  const { connectionId, label, platform, platformName, problems } = account;
  const display = getDisplay(platform);
  const title = display.showsTitle === true ? editor.title : "";
  const listFileProblems = (asset: Asset): AccountProblem[] => problems.filter(({ assetId }) => assetId === asset.id);
  const otherProblems = problems.filter(({ assetId }) => assetId === undefined);
  const { assets } = selectForAccount(post, connectionId);
  const files = assets.map((asset): PreviewFile => {
    const crop = findCrop(post, asset.id, platform);
    const rejection = findRejection(problems, asset.id);
    const hasRendition = asset.kind === "image" && asset.status === "ready" && rejection === undefined;
    return {
      asset,
      rejection,
      size: renditionSizes[asset.id] ?? findRenditionSize(problems, asset),
      url: hasRendition
        ? getRenditionUrl({ studioId: studio.id, postId: post.id, connectionId }, asset.id, crop, assets.length)
        : undefined,
      onLoad: (size: Size) =>
        setRenditionSizes((current) => ({ ...current, [asset.id]: { ...size, isCropped: crop !== undefined } })),
    };
  });
  const isEmpty = text === "" && title === "" && files.length === 0;
  const textBlock = <PreviewText key={connectionId} title={title} text={text} display={display} />;
  return (
    <>
      <div
        className="min-w-0 overflow-hidden rounded-lg border border-rule bg-raised @xl:row-span-2"
        role="group"
        aria-label={`Post on ${platformName}`}
      >
        <div className="flex items-center gap-3 px-4 pt-3 pb-2">
          <span
            className="grid size-9 flex-none place-items-center rounded-full bg-wash font-semibold text-accent"
            aria-hidden="true"
          >
            {getFirstCharacter(label.replace(/^@/, ""))}
          </span>
          <span className="min-w-0 leading-tight [overflow-wrap:anywhere]">
            <b className="block">{label}</b>
            <span className="text-sm text-muted">{platformName}</span>
          </span>
        </div>
        {isEmpty && <p className="m-0 px-4 pb-4 text-muted">Nothing to show yet. Write some text or add files.</p>}
        {display.isMediaFirst !== true && textBlock}
        <PreviewGallery files={files} layout={display.gallery} />
        {display.isMediaFirst === true && textBlock}
      </div>
      <div className="min-w-0 @xl:col-start-1 @xl:row-start-2">
        <ProblemList problems={otherProblems} />
        <div className="mt-2 mb-4 [ul+&]:mt-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-sm text-muted empty:hidden">
          {(post.assets.length > 1 || assets.length < post.assets.length) && (
            <span>This account gets {describeFileChoice(assets.length, post.assets.length)}.</span>
          )}
          <ChooseFiles post={post} account={account} isAlwaysShown={post.assets.length > 1} />
        </div>
        {files.length > 0 && (
          <ol className="mt-3 grid gap-5" aria-label={`Files for ${label}`}>
            {assets.map((asset) => (
              // Hidden if there is nothing below the filename.
              <li key={asset.id} className="min-w-0 not-has-[>:nth-child(2)]:hidden">
                <FileSettings
                  post={post}
                  asset={asset}
                  controller={editor}
                  account={account}
                  sharesCrops={sharesCrops}
                  problems={listFileProblems(asset)}
                  renditionSize={renditionSizes[asset.id]}
                />
              </li>
            ))}
          </ol>
        )}
      </div>
    </>
  );
}
