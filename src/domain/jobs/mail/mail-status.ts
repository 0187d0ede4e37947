import type { Deps } from "../../ports/deps.ts";

/** For the operator: whether the mail server fails, and how many mails wait. */
export async function readMailStatus({ mails }: Pick<Deps, "mails">): Promise<{ isFailing: boolean; waiting: number }> {
  const [server, waiting] = await Promise.all([mails.findServer(), mails.countWaiting()]);
  return { isFailing: server?.failingSince != null, waiting };
}

export async function assertMailWorks({ mails }: Pick<Deps, "mails">): Promise<void> {
  const server = await mails.findServer();
  if (server?.failingSince != null) throw new Error(`the mail server fails: ${server.lastError}`);
}
