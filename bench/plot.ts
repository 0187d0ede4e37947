export interface Curve {
  name: string;
  /** Number of assets, and milliseconds per call. */
  points: readonly (readonly [count: number, ms: number])[];
}

const [width, height] = [720, 340];
const margin = { left: 56, right: 170, top: 24, bottom: 44 };
/** Distinguishable with color blindness, on white and on black. */
const colors = ["#2b6cb0", "#c05621", "#2f855a", "#b83280", "#6b46c1"];

/** Draws the curves as an SVG chart with logarithmic axes, readable in light and dark mode. */
export function drawCurves(title: string, curves: readonly Curve[]): string {
  const counts = curves.flatMap(({ points }) => points.map(([count]) => Math.log10(count)));
  const times = curves.flatMap(({ points }) => points.map(([, ms]) => Math.log10(ms)));
  const [first, last] = [Math.min(...counts), Math.max(...counts)];
  const [low, high] = [Math.floor(Math.min(...times)), Math.ceil(Math.max(...times))];
  const x = (count: number) =>
    margin.left + ((Math.log10(count) - first) / (last - first)) * (width - margin.left - margin.right);
  const y = (ms: number) =>
    height - margin.bottom - ((Math.log10(ms) - low) / (high - low)) * (height - margin.top - margin.bottom);
  const drawText = (at: readonly [number, number], text: string, anchor = "middle", attributes = "") =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" text-anchor="${anchor}" ${attributes}>${text}</text>`;

  const gridLines = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)).map((ms) => {
    const at = y(ms).toFixed(1);
    return `<line class="grid-line" x1="${margin.left}" x2="${width - margin.right}" y1="${at}" y2="${at}"/>${drawText([margin.left - 8, y(ms) + 4], String(Number(ms.toPrecision(1))), "end")}`;
  });
  const xLabels = Array.from({ length: last - first + 1 }, (_, i) =>
    drawText(
      [x(10 ** (first + i)), height - margin.bottom + 20],
      `10<tspan dy="-5" font-size="9">${Math.round(first + i)}</tspan>`,
    ),
  );
  const labelYs = spreadLabels(curves.map(({ points }) => y(points.at(-1)?.[1] ?? 0)));
  const lines = curves.map(({ name, points }, index) => {
    const color = colors[index % colors.length];
    const path = points.map(([count, ms]) => `${x(count).toFixed(1)},${y(ms).toFixed(1)}`).join(" ");
    const dots = points.map(
      ([count, ms]) => `<circle cx="${x(count).toFixed(1)}" cy="${y(ms).toFixed(1)}" r="3" fill="${color}"/>`,
    );
    const labelAt = [width - margin.right + 10, (labelYs[index] ?? 0) + 4] as const;
    const label = drawText(labelAt, name, "start", `style="fill:${color}"`);
    return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>${dots.join("")}${label}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<style>
text { font: 12px system-ui, sans-serif; fill: #444 }
.grid-line { stroke: #8884 }
@media (prefers-color-scheme: dark) { text { fill: #bbb } }
</style>
${drawText([margin.left, 14], title, "start")}
${[...gridLines, ...xLabels, ...lines].join("\n")}
${drawText([(margin.left + width - margin.right) / 2, height - 6], "assets in the studio")}
</svg>
`;
}

/** Moves y positions apart where their labels would overlap. */
function spreadLabels(ys: readonly number[]): number[] {
  const labels = ys.map((y, index) => ({ y, index })).toSorted((a, b) => a.y - b.y);
  for (const [i, label] of labels.entries()) label.y = Math.max(label.y, (labels[i - 1]?.y ?? -Infinity) + 15);
  return labels.toSorted((a, b) => a.index - b.index).map(({ y }) => y);
}
