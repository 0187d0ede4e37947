export type CheckStatus = "ok" | "warning" | "failed" | "skipped";

export interface CheckResult {
  name: string;
  status: CheckStatus;
  message: string;
  /** What to do; empty unless the status is `warning` or `failed`. */
  advice: string;
}

export interface Check {
  name: string;
  /** Runs only if these earlier checks neither failed nor were skipped. */
  needs?: readonly string[];
  /** Returns what is in order or, with `warn` and `skip`, another outcome. Throws a `CheckError` if the check failed. */
  run(): Promise<string | Outcome>;
}

type Outcome = Omit<CheckResult, "name">;

export class CheckError extends Error {
  override readonly name = "CheckError";
  readonly advice: string;

  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }
}

export const warn = (message: string, advice: string): Outcome => ({ status: "warning", message, advice });
export const skip = (message: string): Outcome => ({ status: "skipped", message, advice: "" });

/** Runs the checks one after another, so that a check can rely on what earlier ones found. */
export async function runChecks(
  checks: readonly Check[],
  onResult: (result: CheckResult) => void = () => {},
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  /** By check that failed or was skipped: the check that is the cause. */
  const causes = new Map<string, string>();
  for (const check of checks) {
    const cause = check.needs?.map((name) => causes.get(name)).find((name) => name !== undefined);
    const outcome = cause === undefined ? await runCheck(check) : skip(`Not checked, because of “${cause}”.`);
    if (outcome.status === "failed" || outcome.status === "skipped") causes.set(check.name, cause ?? check.name);
    const result = { name: check.name, ...outcome };
    results.push(result);
    onResult(result);
  }
  return results;
}

async function runCheck({ run }: Check): Promise<Outcome> {
  try {
    const outcome = await run();
    return typeof outcome === "string" ? { status: "ok", message: outcome, advice: "" } : outcome;
  } catch (error) {
    if (error instanceof CheckError) return { status: "failed", message: error.message, advice: error.advice };
    return { status: "failed", message: `The check failed: ${String(error)}`, advice: "Report this as a bug." };
  }
}
