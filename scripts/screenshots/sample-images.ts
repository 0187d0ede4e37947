import sharp from "sharp";

/** Sample images for the posts of a studio. They are drawn here, so they are free to use. */
export type SampleImageName = keyof typeof sampleImageSvgs;

const imageSize = { width: 1600, height: 1200 };

const sampleImageSvgs = {
  harbour: () =>
    [
      sky("#f4d9b8", "#c98d77"),
      `<circle cx="1130" cy="520" r="110" fill="#fbeed6"/>`,
      hills("#8d6f74", 640, 70, 3),
      hills("#5f5566", 700, 50, 7),
      `<rect y="760" width="1600" height="440" fill="#3f4a5e"/>`,
      ripples("#e9c8a8", 780),
      `<path d="M420 780h260l-40 60H470z" fill="#23283a"/><path d="M548 770V520l110 210z" fill="#f3e7d6"/>`,
    ].join(""),
  fog: () =>
    [
      sky("#dfe6e6", "#b7c4c4"),
      hills("#a9b8b8", 520, 90, 2),
      hills("#8ba0a0", 660, 80, 5),
      hills("#67807f", 800, 70, 9),
      hills("#3f5857", 950, 60, 4),
    ].join(""),
  door: () =>
    [
      `<rect width="1600" height="1200" fill="#e9e2d6"/><rect y="1010" width="1600" height="190" fill="#c9bda9"/>`,
      `<path d="M560 1010V420a240 240 0 0 1 480 0v590z" fill="#2f5a73"/>`,
      `<path d="M620 960V440a180 180 0 0 1 165-178v698zM815 960V262a180 180 0 0 1 165 178v520z" fill="#3f7190"/>`,
      `<circle cx="846" cy="690" r="16" fill="#e2b866"/><path d="M1600 0v1010L1180 0z" fill="#fff" opacity=".25"/>`,
    ].join(""),
  vase: () =>
    [
      `<rect width="1600" height="1200" fill="#efe6dd"/><rect y="880" width="1600" height="320" fill="#d8c5b1"/>`,
      `<path d="M700 960c-90-120-80-300 30-380v-90h140v90c110 80 120 260 30 380z" fill="#a5533b"/>`,
      `<path d="M800 490C780 330 700 240 610 200M800 490c10-170 60-260 150-330M800 490c0-140-10-260-20-350" stroke="#59684c" stroke-width="9" fill="none"/>`,
      leaves("#6f8060"),
      `<ellipse cx="820" cy="968" rx="330" ry="26" fill="#000" opacity=".12"/>`,
    ].join(""),
  paper: () =>
    [
      `<rect width="1600" height="1200" fill="#cfd6cf"/>`,
      ...[
        ["#f7f4ec", -9, 380, 240],
        ["#e7b9a1", 5, 520, 300],
        ["#f2e3b3", -3, 640, 380],
        ["#9fb8b0", 8, 760, 470],
      ].map(
        ([fill, angle, x, y]) =>
          `<g transform="rotate(${angle} 800 600)"><rect x="${Number(x) + 10}" y="${Number(y) + 14}" width="520" height="400" opacity=".14"/><rect x="${x}" y="${y}" width="520" height="400" fill="${fill}"/></g>`,
      ),
    ].join(""),
  poster: () =>
    [
      `<rect width="1600" height="1200" fill="#14715b"/><circle cx="1090" cy="470" r="330" fill="#f1c27b"/>`,
      `<path d="M0 900 480 420l360 480zM520 900l420-360 660 360z" fill="#0c4a3c"/>`,
      `<text x="300" y="1070" font-family="serif" font-size="122" fill="#f8f4ea">Spring catalogue</text>`,
    ].join(""),
} as const;

export function encodeSampleImage(imageName: SampleImageName, width = imageSize.width): Promise<Buffer> {
  return sharp(drawnImages.get(imageName)).resize({ width }).jpeg({ quality: 82 }).toBuffer();
}

/** Draws the image with some grain, so that it looks like a photo. */
async function drawSampleImage(imageName: SampleImageName): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${imageSize.width}" height="${imageSize.height}">${sampleImageSvgs[imageName]()}</svg>`;
  const grain = await sharp({
    create: { ...imageSize, channels: 3, background: "#808080", noise: { type: "gaussian", mean: 128, sigma: 9 } },
  })
    .png()
    .toBuffer();
  return sharp(Buffer.from(svg))
    .composite([{ input: grain, blend: "soft-light" }])
    .png()
    .toBuffer();
}

const sky = (top: string, bottom: string): string =>
  `<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient></defs><rect width="1600" height="1200" fill="url(#sky)"/>`;

function hills(fill: string, base: number, height: number, seed: number): string {
  const points = Array.from({ length: 41 }, (_, i) => {
    const y = base - height * (Math.sin(i * 0.35 + seed) + 0.6 * Math.sin(i * 0.9 + seed * 2));
    return `${i * 40},${Math.round(y)}`;
  });
  return `<polygon points="0,1200 ${points.join(" ")} 1600,1200" fill="${fill}"/>`;
}

const ripples = (fill: string, top: number): string =>
  Array.from({ length: 26 }, (_, i) => {
    const y = top + i * 15;
    return `<rect x="${1130 - 60 - ((i * 53) % 130)}" y="${y}" width="${90 + ((i * 71) % 160)}" height="4" fill="${fill}" opacity="${0.6 - i * 0.02}"/>`;
  }).join("");

const leaves = (fill: string): string =>
  [
    [610, 200, 30],
    [680, 260, -20],
    [950, 160, -30],
    [880, 270, 40],
    [780, 140, 0],
    [795, 290, 60],
  ]
    .map(
      ([x, y, angle]) =>
        `<ellipse cx="${x}" cy="${y}" rx="26" ry="58" fill="${fill}" transform="rotate(${angle} ${x} ${y})"/>`,
    )
    .join("");

/** Drawn at import, because the service blocks the SVG decoder of this process when it starts. */
const drawnImages = new Map<SampleImageName, Buffer>();
for (const imageName of Object.keys(sampleImageSvgs) as SampleImageName[])
  drawnImages.set(imageName, await drawSampleImage(imageName));
