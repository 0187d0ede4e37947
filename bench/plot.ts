export interface Curve {
  name: string;
  /** How many there are, and what it took. */
  points: readonly (readonly [count: number, ms: number])[];
}

const [width, height] = [720, 340];
const frame = { left: 56, right: 170, top: 24, bottom: 44 };
/** Told apart by people who see colours differently, on white and on black. */
const colors = ["#2b6cb0", "#c05621", "#2f855a", "#b83280", "#6b46c1"];

/** Growth as a picture: powers of ten below and at the side, readable in light and dark. */
export function drawCurves(title: string, curves: readonly Curve[]): string {
  const counts = curves.flatMap(({ points }) => points.map(([count]) => Math.log10(count)));
  const times = curves.flatMap(({ points }) => points.map(([, ms]) => Math.log10(ms)));
  const [first, last] = [Math.min(...counts), Math.max(...counts)];
  const [low, high] = [Math.floor(Math.min(...times)), Math.ceil(Math.max(...times))];
  const x = (count: number) =>
    frame.left + ((Math.log10(count) - first) / (last - first)) * (width - frame.left - frame.right);
  const y = (ms: number) =>
    height - frame.bottom - ((Math.log10(ms) - low) / (high - low)) * (height - frame.top - frame.bottom);
  const text = (at: readonly [number, number], content: string, anchor = "middle", attributes = "") =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" text-anchor="${anchor}" ${attributes}>${content}</text>`;

  const horizontalRules = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)).map((ms) => {
    const at = y(ms).toFixed(1);
    return `<line class="rule" x1="${frame.left}" x2="${width - frame.right}" y1="${at}" y2="${at}"/>${text([frame.left - 8, y(ms) + 4], String(Number(ms.toPrecision(1))), "end")}`;
  });
  const axisLabels = Array.from({ length: last - first + 1 }, (_, i) =>
    text(
      [x(10 ** (first + i)), height - frame.bottom + 20],
      `10<tspan dy="-5" font-size="9">${Math.round(first + i)}</tspan>`,
    ),
  );
  const labels = spreadLabels(curves.map(({ points }) => y(points.at(-1)?.[1] ?? 0)));
  const lines = curves.map(({ name, points }, index) => {
    const color = colors[index % colors.length];
    const path = points.map(([count, ms]) => `${x(count).toFixed(1)},${y(ms).toFixed(1)}`).join(" ");
    const dots = points.map(
      ([count, ms]) => `<circle cx="${x(count).toFixed(1)}" cy="${y(ms).toFixed(1)}" r="3" fill="${color}"/>`,
    );
    const label = text([width - frame.right + 10, (labels[index] ?? 0) + 4], name, "start", `style="fill:${color}"`);
    return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2"/>${dots.join("")}${label}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<style>
text { font: 12px system-ui, sans-serif; fill: #444 }
.rule { stroke: #8884 }
@media (prefers-color-scheme: dark) { text { fill: #bbb } }
</style>
${text([frame.left, 14], title, "start")}
${[...horizontalRules, ...axisLabels, ...lines].join("\n")}
${text([(frame.left + width - frame.right) / 2, height - 6], "assets in the studio")}
</svg>
`;
}

/** The same heights, moved apart where their words would overlap. */
function spreadLabels(heights: readonly number[]): number[] {
  const order = heights.map((at, index) => ({ at, nth: index })).toSorted((a, b) => a.at - b.at);
  for (const [i, entry] of order.entries()) entry.at = Math.max(entry.at, (order[i - 1]?.at ?? -Infinity) + 15);
  return order.toSorted((a, b) => a.nth - b.nth).map(({ at }) => at);
}
