export interface Report {
  hasMissedLimit: boolean;
  /** Prints one line: the measurement, our value, the limit, the baseline, its value, and the ratio. */
  printLine(
    name: string,
    ours: number,
    limit: number | undefined,
    baseline: string,
    theirs: number,
    unit: string,
  ): void;
}

/** Compares measurements with baselines; a limit is the maximum ratio of ours to theirs. */
export function createReport(fractionDigits: number): Report {
  const format = (value: number): string => value.toFixed(fractionDigits).padStart(9);
  const report: Report = {
    hasMissedLimit: false,
    printLine(name, ours, limit, baseline, theirs, unit) {
      const ratio = ours / theirs;
      report.hasMissedLimit ||= limit !== undefined && ratio > limit;
      const limitText = limit === undefined ? "-" : `${limit.toFixed(2)} x`;
      process.stdout.write(
        `${name.padEnd(52)} ours ${format(ours)} ${unit}   limit ${limitText.padStart(6)}   ${baseline.padEnd(22)} ${format(theirs)} ${unit}   ${ratio.toFixed(2)} x\n`,
      );
    },
  };
  return report;
}
