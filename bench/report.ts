export interface Report {
  hasExceededLimit: boolean;
  /** Prints one line: the measurement, our value, the maximum ratio, the baseline with its value, and the ratio. */
  printLine(
    name: string,
    ours: number,
    maxRatio: number | undefined,
    baselineName: string,
    baseline: number,
    unit: string,
  ): void;
}

/** By how much a ratio can differ between two healthy machines. Every limit that is a ratio was measured on one. */
export const machineSpread = 1.5;

/**
 * Compares measurements with baselines. `maxRatio` is the maximum ratio of our value to the baseline on the machine
 * where it was measured. Goals of the product have no spread.
 */
export function createReport({ fractionDigits }: { fractionDigits: number }): Report {
  const format = (value: number): string => value.toFixed(fractionDigits).padStart(9);
  const report: Report = {
    hasExceededLimit: false,
    printLine(name, ours, maxRatio, baselineName, baseline, unit) {
      const ratio = ours / baseline;
      const limit = maxRatio === undefined || baselineName === "goal" ? maxRatio : maxRatio * machineSpread;
      report.hasExceededLimit ||= limit !== undefined && !(ratio <= limit); // also without a measurement (NaN)
      const limitText = limit === undefined ? "-" : `${limit.toFixed(2)} x`;
      process.stdout.write(
        `${name.padEnd(58)} ours ${format(ours)} ${unit}   limit ${limitText.padStart(6)}   ${baselineName.padEnd(22)} ${format(baseline)} ${unit}   ${ratio.toFixed(2)} x\n`,
      );
    },
  };
  return report;
}
