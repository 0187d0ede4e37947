import { createHash } from "node:crypto";
import { lengthOfPart, partCount, type PartedFile, type PartStore } from "#domain/assets/part-store.ts";
import type { Clock } from "#lib/clock.ts";
import type { Held } from "./memory-files.ts";

export interface MemoryParts extends PartStore {
  /** What a PUT to the address of a part does; false where the file is not open. */
  send(address: string, content: Uint8Array): boolean;
  /** How many files are begun and not ended. */
  open(): number;
}

/** Files in parts for tests that are not about storing. */
export function createMemoryParts(held: Map<string, Held>, clock: Clock): MemoryParts {
  const begun = new Map<string, { startedAt: number; parts: Map<number, Uint8Array> }>();
  const stored = (content: Buffer) => {
    const sha256 = createHash("sha256").update(content).digest("hex");
    return { bytes: content.length, version: sha256, sha256 };
  };
  const whole = (file: PartedFile) => Array.from({ length: partCount(file) }, (_, i) => i + 1);
  const there = (file: PartedFile) => {
    const parts = begun.get(file.id)?.parts;
    return parts && whole(file).filter((part) => parts.get(part)?.length === lengthOfPart(file, part));
  };
  let count = 0;
  return {
    open: () => begun.size,
    send(address, content) {
      const [, id = "", part] = /^memory:part:([^:]+):(\d+)$/.exec(address) ?? [];
      return begun.get(id)?.parts.set(Number(part), content) !== undefined;
    },
    async start() {
      const id = `u${++count}`;
      begun.set(id, { startedAt: clock(), parts: new Map() });
      return id;
    },
    list: async (file) => there(file) ?? (held.has(file.key) ? whole(file) : undefined),
    address: async ({ id }, part) => `memory:part:${id}:${part}`,
    async complete(file) {
      const parts = begun.get(file.id)?.parts;
      if (parts && there(file)?.length !== partCount(file)) return undefined;
      if (parts) {
        const content = Buffer.concat(whole(file).map((part) => parts.get(part) ?? Buffer.alloc(0)));
        held.set(file.key, { content, modifiedAt: clock() });
        begun.delete(file.id);
      }
      const found = held.get(file.key);
      return found && stored(found.content);
    },
    abort: async ({ id }) => void begun.delete(id),
    async sweep(startedBefore) {
      const old = [...begun].filter(([, { startedAt }]) => startedAt < startedBefore);
      for (const [id] of old) begun.delete(id);
      return old.length;
    },
  };
}
