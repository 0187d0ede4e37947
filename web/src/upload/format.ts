/** Sizes and times in the words of a language. */
export interface Format {
  bytes(count: number): string;
  speed(bytesPerSecond: number): string;
  duration(seconds: number): string;
  percent(part: number, whole: number): string;
}

const units = ["kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

export function createFormat(tag: string): Format {
  const number = (value: number, unit: string, digits: number) =>
    new Intl.NumberFormat(tag, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: digits }).format(
      value,
    );
  const bytes = (count: number) => {
    const step = count < 1_000_000 ? 1 : Math.min(units.length, Math.floor(Math.log10(count) / 3));
    const value = Math.ceil((count / 1000 ** step) * 10) / 10;
    return number(value, units[step - 1] ?? "kilobyte", value < 100 ? 1 : 0);
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
