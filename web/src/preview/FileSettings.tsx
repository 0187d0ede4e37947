import type { Asset, Post } from "../api/queries.ts";
import { useStudio } from "../layout/use-studio.ts";
import type { EditorController } from "../posts/use-editor.ts";
import { ProblemList, type AccountProblem } from "../publishing/ProblemList.tsx";
import type { Account } from "../publishing/use-accounts.ts";
import { Button } from "../ui/Button.tsx";
import { ErrorMessage } from "../ui/ErrorMessage.tsx";
import { ChoiceField } from "../ui/Field.tsx";
import { describePosition, getCropWindow, hasSameAspect, type CropPosition, type Size } from "./crop-window.ts";
import { CropSlider } from "./CropSlider.tsx";
import type { RenditionSize } from "./get-rendition-url.ts";
import { useCrop } from "./use-crop.ts";

interface FileProps {
  post: Post;
  asset: Asset;
  controller: EditorController;
  account: Account;
  sharesCrops: boolean;
  problems: readonly AccountProblem[];
  /** Undefined until the rendition is loaded. */
  renditionSize: RenditionSize | undefined;
}

/** The problems of a file on an account, and the choice to pad or crop an image that does not fit. */
export function FileSettings(props: FileProps) {
  const { may } = useStudio();
  const { post, asset, problems } = props;
  const canWrite = may("posts.write") && post.status !== "archived";
  return (
    <>
      <p className="m-0 font-semibold [overflow-wrap:anywhere]">{asset.filename}</p>
      {asset.kind === "image" && !problems.some(({ code }) => code === "alt_text_missing") && (
        <p className="m-0 text-sm text-muted [overflow-wrap:anywhere]">
          {asset.altText === undefined ? "No alt text" : `Alt text: ${asset.altText}`}
        </p>
      )}
      <ProblemList problems={problems} />
      {canWrite && asset.kind === "image" && <FitSettings {...props} />}
    </>
  );
}

function FitSettings({ post, asset, controller, account, sharesCrops, renditionSize }: FileProps) {
  const { platform, platformName, connectionId } = account;
  const crop = useCrop({ post, assetId: asset.id, platform, change: controller.change });
  const { position } = crop;
  const hasAcceptedAspect = renditionSize && !renditionSize.isCropped && keepsAspect(asset, renditionSize);
  if (!renditionSize || (hasAcceptedAspect && !position && !crop.isChanged)) return null;
  const fit = position ? "crop" : "pad";
  return (
    <div className="mt-2 [ul+&]:mt-4">
      <fieldset className="flex flex-wrap items-center gap-x-5 gap-y-1">
        <legend className="float-left mr-5 text-sm text-muted">
          Fit<span className="sr-only"> of {asset.filename}</span>
        </legend>
        {(["pad", "crop"] as const).map((option) => (
          <ChoiceField
            key={option}
            type="radio"
            name={`fit ${connectionId} ${asset.id}`}
            label={option === "pad" ? "Pad" : "Crop"}
            className="min-h-8 items-center [&>input]:mt-0"
            checked={fit === option}
            onChange={() => crop.setFit(option)}
          />
        ))}
        {crop.isChanged && (
          <Button variant="quiet" aria-label={`Reset the fit of ${asset.filename}`} onClick={crop.reset}>
            Reset
          </Button>
        )}
      </fieldset>
      <p className="mt-1 text-sm text-muted">
        {fit === "pad" ? (
          `${platformName} gets the whole image, padded to fit.`
        ) : (
          <>
            {platformName} gets the part inside the frame. Drag the frame
            <span className="pointer-coarse:hidden">, or use the arrow keys</span>.
          </>
        )}
        {sharesCrops && ` This applies to all ${platformName} accounts.`}
      </p>
      {position && renditionSize.isCropped && (
        <div className="mt-2">
          <CropSlider asset={asset} renditionSize={renditionSize} position={position} onMove={crop.move} />
        </div>
      )}
      {crop.error !== undefined && <ErrorMessage error={crop.error} />}
      <p className="mt-1 min-h-6 text-sm text-muted" role="status">
        {crop.isSaving && "Saving…"}
        {crop.isSaved && `Saved. ${describeFit(asset, position, renditionSize)}`}
      </p>
    </div>
  );
}

/** Whether the rendition has the image's aspect ratio, so that nothing was padded or cropped. */
const keepsAspect = ({ width, height }: Asset, rendition: Size): boolean =>
  width !== undefined && height !== undefined && hasSameAspect({ width, height }, rendition);

function describeFit({ width, height }: Asset, position: CropPosition | undefined, rendition: RenditionSize): string {
  if (!position) return "Padded.";
  if (!rendition.isCropped || width === undefined || height === undefined) return "Cropped.";
  const { axis } = getCropWindow({ width, height }, rendition, position);
  return `Cropped: ${describePosition(position, axis).toLowerCase()}.`;
}
