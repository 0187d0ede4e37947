const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

type Rounding = "halfExpand" | "floor";

/** Formats a size in decimal units, with at most one decimal place: 1.3 MB. The web app has a localized version. */
export const formatBytes = (bytes: number): string => format(bytes, "halfExpand", 1);

/** Formats a limit, rounded down, so that every file within the displayed limit is within the real one. */
export const formatByteLimit = (bytes: number): string => format(bytes, "floor", 1);

/** Formats a size and the limit that it exceeds, with enough digits to show the difference. */
export function formatExcess(bytes: number, limit: number): { size: string; limit: string } {
  for (let digits = 1; ; digits++) {
    const excess = { size: format(bytes, "halfExpand", digits), limit: format(limit, "floor", digits) };
    if (excess.size !== excess.limit || digits === maxDigits) return excess;
  }
}

/** Enough digits to show one byte in a terabyte. */
const maxDigits = 12;

function format(bytes: number, rounding: Rounding, digits: number): string {
  const round = rounding === "floor" ? Math.floor : Math.round;
  let unitIndex = 0;
  while (unitIndex < units.length - 1 && round(bytes / 1000 ** unitIndex) >= 1000) unitIndex++;
  const value = bytes / 1000 ** unitIndex;
  return new Intl.NumberFormat("en", {
    style: "unit",
    unit: units[unitIndex],
    unitDisplay: unitIndex === 0 ? "long" : "short",
    maximumFractionDigits: value < 100 ? digits : digits - 1,
    roundingMode: rounding,
  }).format(value);
}
