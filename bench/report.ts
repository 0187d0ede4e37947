export interface Report {
  hasMissedLimit: boolean;
  /** Prints one line: the measurement, our value, the limit, the baseline with its value, and the ratio. */
  printLine(
    name: string,
    ours: number,
    limit: number | undefined,
    baselineName: string,
    baseline: number,
    unit: string,
  ): void;
}

/** Compares measurements with baselines; a limit is the maximum ratio of our value to the baseline. */
export function createReport({ fractionDigits }: { fractionDigits: number }): Report {
  const format = (value: number): string => value.toFixed(fractionDigits).padStart(9);
  const report: Report = {
    hasMissedLimit: false,
    printLine(name, ours, limit, baselineName, baseline, unit) {
      const ratio = ours / baseline;
      report.hasMissedLimit ||= limit !== undefined && ratio > limit;
      const limitText = limit === undefined ? "-" : `${limit.toFixed(2)} x`;
      process.stdout.write(
        `${name.padEnd(58)} ours ${format(ours)} ${unit}   limit ${limitText.padStart(6)}   ${baselineName.padEnd(22)} ${format(baseline)} ${unit}   ${ratio.toFixed(2)} x\n`,
      );
    },
  };
  return report;
}
