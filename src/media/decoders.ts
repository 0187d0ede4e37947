import sharp from "sharp";

/** One for each type that `canHaveThumbnail` names, by what the library calls it. */
const allowedLoaders = ["JpegBuffer", "PngBuffer", "WebpBuffer", "NsgifBuffer", "HeifBuffer"];

/**
 * The library goes by the bytes, whatever was declared: left to itself it would draw an SVG that passed for a picture,
 * for as long as that takes, since a drawing cannot be told to stop. What is not one of ours it does not open.
 */
export function restrictDecoders(): void {
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: allowedLoaders.map((loader) => `VipsForeignLoad${loader}`) });
}
