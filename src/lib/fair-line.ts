import { getOwner } from "./work-owner.ts";

/** A queue in which owners take turns, so that an owner with many entries delays the others by one entry at a time. */
export interface FairLine<T> {
  /** Adds an entry for the owner of the current work. Returns a function that removes it. */
  add(entry: T): () => void;
  /** Removes and returns the next entry. */
  take(): T | undefined;
}

export function createFairLine<T>(): FairLine<T> {
  const groups = new Map<string, Map<string, Set<{ entry: T }>>>();
  return {
    add(entry) {
      const { group, key } = getOwner();
      const owners = getOrAdd(groups, group, () => new Map<string, Set<{ entry: T }>>());
      const item = { entry };
      getOrAdd(owners, key, () => new Set()).add(item);
      return () => {
        const entries = owners.get(key);
        entries?.delete(item);
        if (entries?.size === 0) owners.delete(key);
        if (owners.size === 0 && groups.get(group) === owners) groups.delete(group);
      };
    },
    take: () => takeTurn(groups, (owners) => takeTurn(owners, takeFirst))?.entry,
  };
}

function getOrAdd<Value>(values: Map<string, Value>, key: string, create: () => Value): Value {
  const value = values.get(key) ?? create();
  values.set(key, value);
  return value;
}

/** Takes from the first value that is not empty and moves it to the end. Removes empty values before it. */
function takeTurn<Value extends { size: number }, Item>(
  values: Map<string, Value>,
  take: (value: Value) => Item | undefined,
): Item | undefined {
  for (const [key, value] of values) {
    const item = take(value);
    values.delete(key);
    if (value.size > 0) values.set(key, value);
    if (item !== undefined) return item;
  }
  return undefined;
}

function takeFirst<Item>(items: Set<Item>): Item | undefined {
  const [first] = items;
  if (first !== undefined) items.delete(first);
  return first;
}
