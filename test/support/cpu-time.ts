/**
 * Measures the CPU time of work in this process. A busy machine and garbage collection can only increase it, so work
 * over the limit is repeated, and the fastest run counts.
 */
export async function measureCpu<Result>(
  limitMs: number,
  work: () => Promise<Result>,
): Promise<{ result: Result; cpuMs: number }> {
  let cpuMs = Infinity;
  for (let attempt = 1; ; attempt++) {
    const before = process.cpuUsage();
    const result = await work();
    const { user, system } = process.cpuUsage(before);
    cpuMs = Math.min(cpuMs, (user + system) / 1000);
    if (cpuMs <= limitMs || attempt === 6) return { result, cpuMs };
  }
}
