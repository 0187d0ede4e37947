/** Formats sizes, speeds and durations in one language. */
export interface Formatter {
  bytes(count: number): string;
  speed(bytesPerSecond: number): string;
  duration(seconds: number): string;
  percent(part: number, total: number): string;
}

const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

export function createFormatter(tag: string): Formatter {
  const formatUnit = (value: number, unit: string, maxDigits: number, unitDisplay: "short" | "long" = "short") =>
    new Intl.NumberFormat(tag, { style: "unit", unit, unitDisplay, maximumFractionDigits: maxDigits })
      .format(value)
      // A line must not break between a number and its unit.
      .replaceAll(" ", "\u00a0");
  // Rounds like the server's messages (lib/format-bytes.ts).
  const formatBytes = (count: number) => {
    let unitIndex = 0;
    while (unitIndex < units.length - 1 && Math.round(count / 1000 ** unitIndex) >= 1000) unitIndex++;
    const value = count / 1000 ** unitIndex;
    return formatUnit(value, units[unitIndex] ?? "byte", value < 100 ? 1 : 0, unitIndex === 0 ? "long" : "short");
  };
  return {
    bytes: formatBytes,
    speed: (value) => `${formatBytes(Math.round(value))}/s`,
    duration(seconds) {
      const wholeSeconds = Math.max(1, Math.ceil(seconds));
      if (wholeSeconds < 60) return formatUnit(wholeSeconds, "second", 0);
      const wholeMinutes = Math.ceil(wholeSeconds / 60);
      const minutes = wholeMinutes % 60;
      const texts = [];
      if (wholeMinutes >= 60) texts.push(formatUnit(Math.floor(wholeMinutes / 60), "hour", 0));
      if (minutes > 0) texts.push(formatUnit(minutes, "minute", 0));
      return texts.join(" ");
    },
    percent: (part, total) =>
      new Intl.NumberFormat(tag, { style: "percent" }).format(total === 0 ? 0 : Math.floor((part / total) * 100) / 100),
  };
}
