/** Formats sizes, speeds and durations in one language. */
export interface Formatter {
  bytes(count: number): string;
  speed(bytesPerSecond: number): string;
  duration(seconds: number): string;
  percent(part: number, whole: number): string;
}

const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

export function createFormatter(tag: string): Formatter {
  const number = (value: number, unit: string, digits: number, unitDisplay: "short" | "long" = "short") =>
    new Intl.NumberFormat(tag, { style: "unit", unit, unitDisplay, maximumFractionDigits: digits }).format(value);
  // Rounds like the server's messages (lib/format-bytes.ts).
  const bytes = (count: number) => {
    let step = 0;
    while (step < units.length - 1 && Math.round(count / 1000 ** step) >= 1000) step++;
    const value = count / 1000 ** step;
    return number(value, units[step] ?? "byte", value < 100 ? 1 : 0, step === 0 ? "long" : "short");
  };
  return {
    bytes,
    speed: (value) => `${bytes(Math.round(value))}/s`,
    duration(seconds) {
      const whole = Math.max(1, Math.ceil(seconds));
      if (whole < 60) return number(whole, "second", 0);
      if (whole < 3600) return number(Math.ceil(whole / 60), "minute", 0);
      const minutes = Math.ceil((whole % 3600) / 60);
      const hours = number(Math.floor(whole / 3600), "hour", 0);
      return minutes > 0 ? `${hours} ${number(minutes, "minute", 0)}` : hours;
    },
    percent: (part, whole) =>
      new Intl.NumberFormat(tag, { style: "percent" }).format(whole === 0 ? 0 : Math.floor((part / whole) * 100) / 100),
  };
}
