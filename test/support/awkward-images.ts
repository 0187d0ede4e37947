import sharp, { type Sharp } from "sharp";
import { heic } from "./samples.ts";

/** An image that platforms process incorrectly, or each in its own way. */
export interface AwkwardImage {
  name: string;
  mimeType: string;
  bytes: Buffer;
  /** The color of every pixel, in sRGB. */
  color?: readonly [number, number, number];
  isAnimated?: boolean;
  /** Whether the image must be rejected because no rendition can be created. */
  isRejected?: boolean;
}

const solid = (background: string, width = 60, height = 40, channels: 3 | 4 = 3): Sharp =>
  sharp({ create: { width, height, channels, background } });

export async function createNoise(
  width: number,
  height: number,
): Promise<{ data: Buffer; info: { width: number; height: number; channels: 3 } }> {
  const image = sharp({
    create: { width, height, channels: 3, noise: { type: "gaussian", mean: 128, sigma: 40 }, background: "#888" },
  });
  const { data } = await image.raw().toBuffer({ resolveWithObject: true });
  return { data, info: { width, height, channels: 3 } };
}

const exif = { IFD0: { ImageDescription: "SECRET" }, IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 0/1" } };

let cache: Promise<AwkwardImage[]> | undefined;

/** Returns the images, which are created once per process. */
export function getAwkwardImages(): Promise<AwkwardImage[]> {
  cache ??= createAwkwardImages();
  return cache;
}

async function createAwkwardImages(): Promise<AwkwardImage[]> {
  const images: AwkwardImage[] = [];
  const add = async (
    name: string,
    mimeType: string,
    image: Sharp | Buffer,
    properties: Partial<AwkwardImage> = {},
  ): Promise<void> => {
    images.push({ name, mimeType, bytes: Buffer.isBuffer(image) ? image : await image.toBuffer(), ...properties });
  };
  const orange = [200, 80, 40] as const;
  const fill = "rgb(200,80,40)";

  for (let orientation = 1; orientation <= 8; orientation++)
    await add(
      `JPEG with EXIF orientation ${orientation}`,
      "image/jpeg",
      solid(fill).jpeg().withMetadata({ orientation }),
    );
  await add("JPEG with location", "image/jpeg", solid(fill).jpeg().withExif(exif), { color: orange });
  await add("PNG with location", "image/png", solid(fill).png().withExif(exif), { color: orange });
  await add("WebP with location", "image/webp", solid(fill).webp().withExif(exif), { color: orange });
  await add("AVIF with location", "image/avif", solid(fill).avif({ effort: 0 }).withExif(exif), { color: orange });
  await add(
    "JPEG with XMP",
    "image/jpeg",
    solid(fill).jpeg().withXmp("<x:xmpmeta xmlns:x='adobe:ns:meta/'>SECRET</x:xmpmeta>"),
  );
  const plainJpeg = await solid(fill).jpeg().toBuffer();
  await add(
    "JPEG with a comment",
    "image/jpeg",
    insertAt(plainJpeg, 2, Buffer.from("\xff\xfe\x00\x08SECRET", "latin1")),
  );
  await add("JPEG with data after its end", "image/jpeg", Buffer.concat([plainJpeg, Buffer.from("SECRET".repeat(50))]));
  await add("progressive JPEG", "image/jpeg", solid(fill, 300, 200).jpeg({ progressive: true }), { color: orange });
  await add("JPEG 4:4:4", "image/jpeg", solid(fill).jpeg({ chromaSubsampling: "4:4:4" }), { color: orange });
  await add("CMYK JPEG", "image/jpeg", solid(fill).toColourspace("cmyk").jpeg({ quality: 100 }).keepIccProfile());
  await add("grey JPEG", "image/jpeg", solid("rgb(90,90,90)").toColourspace("b-w").jpeg(), { color: [90, 90, 90] });
  await add("JPEG with Display P3", "image/jpeg", solid(fill).jpeg({ quality: 100 }).withIccProfile("p3"), {
    color: orange,
  });
  await add("PNG with Display P3", "image/png", solid(fill).png().withIccProfile("p3"), { color: orange });
  await add("WebP with Display P3", "image/webp", solid(fill).webp({ lossless: true }).withIccProfile("p3"), {
    color: orange,
  });
  await add("JPEG with sRGB profile", "image/jpeg", solid(fill).jpeg().withIccProfile("srgb"), { color: orange });
  await add("16-bit PNG", "image/png", solid(fill).toColourspace("rgb16").png(), { color: orange });
  await add("16-bit grey PNG", "image/png", solid("rgb(90,90,90)").toColourspace("grey16").png(), {
    color: [90, 90, 90],
  });
  await add("PNG with palette", "image/png", solid(fill).png({ palette: true }), { color: orange });
  await add("1-bit PNG", "image/png", solid("#fff").png({ palette: true, colours: 2 }), { color: [255, 255, 255] });
  await add("interlaced PNG", "image/png", solid(fill, 300, 200).png({ progressive: true }), { color: orange });
  for (const [type, encode] of [
    ["image/png", (image: Sharp) => image.png()],
    ["image/webp", (image: Sharp) => image.webp()],
    ["image/avif", (image: Sharp) => image.avif({ effort: 0 })],
    ["image/gif", (image: Sharp) => image.gif()],
  ] as const) {
    await add(`transparent ${type}`, type, encode(solid("#c850287f", 60, 40, 4)));
    await add(`invisible ${type}`, type, encode(solid("#0000", 60, 40, 4)));
  }
  await add("lossless WebP", "image/webp", solid(fill).webp({ lossless: true }), { color: orange });
  await add("AVIF", "image/avif", solid(fill).avif({ effort: 0, quality: 90 }), { color: orange });
  await add("10-bit AVIF", "image/avif", solid(fill).heif({ compression: "av1", effort: 0, bitdepth: 10 } as never));
  await add("GIF", "image/gif", solid(fill).gif(), { color: orange });
  await addAnimations(add);
  for (const [width, height] of [
    [1, 8000],
    [10_000, 1],
    [1, 1],
    [2, 2],
    [3, 5000],
    [5000, 3],
    [1080, 1920],
    [1920, 1080],
    [6000, 4000],
    [99, 101],
    [7, 7],
    [2000, 100],
  ] as const)
    await add(`JPEG of ${width} × ${height}`, "image/jpeg", solid(fill, width, height).jpeg());
  await add("PNG of 1 × 8000", "image/png", solid(fill, 1, 8000).png());
  await add("PNG of 20000 × 1", "image/png", solid(fill, 20_000, 1).png());
  const noise = await createNoise(4200, 4000);
  await add("PNG of 50 MB", "image/png", sharp(noise.data, { raw: noise.info }).png({ compressionLevel: 0 }));
  const photo = await createNoise(3000, 2000);
  await add("JPEG of 5 MB", "image/jpeg", sharp(photo.data, { raw: photo.info }).jpeg({ quality: 97 }));
  await add("HEIC", "image/heic", heic(), { isRejected: true });
  return images;
}

async function addAnimations(
  add: (name: string, mimeType: string, image: Sharp, properties: Partial<AwkwardImage>) => Promise<void>,
): Promise<void> {
  const frames = await Promise.all(
    ["#f00", "#0f0", "#00f"].map((color) =>
      sharp({ create: { width: 60, height: 40, channels: 3, background: color } })
        .png()
        .toBuffer(),
    ),
  );
  const animate = (): Sharp => sharp(frames, { join: { animated: true } });
  await add("animated GIF", "image/gif", animate().gif({ delay: [100, 100, 100] }), { isAnimated: true });
  await add("animated GIF that plays once", "image/gif", animate().gif({ loop: 1 }), { isAnimated: true });
  await add("animated WebP", "image/webp", animate().webp({ delay: [100, 100, 100] }), { isAnimated: true });
  await add("animated WebP with location", "image/webp", animate().webp().withExif(exif), { isAnimated: true });
}

function insertAt(file: Buffer, offset: number, bytes: Buffer): Buffer {
  return Buffer.concat([file.subarray(0, offset), bytes, file.subarray(offset)]);
}
