import { getGrantId, type Caller } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import type { IdempotencyKey } from "#domain/ports/coordination.ts";
import { hours } from "#lib/clock.ts";

export interface TaskRecord {
  /** Only this grant can see the task. */
  grantId: string | null;
  tool: string;
  status: "working" | "completed" | "cancelled" | "failed";
  createdAt: number;
  updatedAt: number;
  /** The output of a call whose effects the task follows; absent if a process runs the call itself. */
  followedOutput?: Record<string, unknown>;
  /** The result of the call, once completed. */
  result?: Record<string, unknown>;
  /** The JSON-RPC error of a failed call. */
  error?: { code: number; message: string; data?: unknown };
}

/** The same as for the results of idempotent calls, because tasks are in their table. */
export const taskLifetime = hours(24);

export interface TaskStore {
  create(caller: Caller, taskId: string, call: Pick<TaskRecord, "tool" | "followedOutput">): Promise<TaskRecord>;
  /** Returns undefined for a task that expired or belongs to another user, studio or grant. */
  find(caller: Caller, taskId: string): Promise<TaskRecord | undefined>;
  /** Replaces the record if it is still `from`; returns whether it did. */
  replace(caller: Caller, taskId: string, from: TaskRecord, to: TaskRecord): Promise<boolean>;
}

/** Tasks are in the database, so that any process can report them, even after a restart. */
export function createTaskStore({
  transact,
  idempotency,
  clock,
}: Pick<Deps, "transact" | "idempotency" | "clock">): TaskStore {
  const toKey = ({ studio, user }: Caller, taskId: string): IdempotencyKey => ({
    studioId: studio.id,
    userId: user.id,
    verb: "task",
    key: taskId,
  });
  return {
    async create(caller, taskId, call) {
      const key = toKey(caller, taskId);
      const now = clock();
      const record: TaskRecord = {
        grantId: getGrantId(caller),
        status: "working",
        createdAt: now,
        updatedAt: now,
        ...call,
      };
      await transact(caller, async (tx) => {
        await tx.idempotency.claim(key, "", now, now - taskLifetime);
        await tx.idempotency.saveResult(key, JSON.stringify(record));
      });
      return record;
    },
    async find(caller, taskId) {
      const storedResult = await idempotency.find(toKey(caller, taskId), clock() - taskLifetime);
      const record = storedResult && (JSON.parse(storedResult.result) as TaskRecord);
      return record?.grantId === getGrantId(caller) ? record : undefined;
    },
    replace: (caller, taskId, from, to) =>
      idempotency.replaceResult(toKey(caller, taskId), JSON.stringify(from), JSON.stringify(to)),
  };
}
