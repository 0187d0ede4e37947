/** Adds the ids that `order` lacks, each after the id that precedes it in `previousOrder`. */
export function mergeOrder(previousOrder: readonly string[], order: readonly string[]): string[] {
  const mergedOrder = [...order];
  for (const [i, id] of previousOrder.entries()) {
    if (!mergedOrder.includes(id)) mergedOrder.splice(mergedOrder.indexOf(previousOrder[i - 1] ?? "") + 1, 0, id);
  }
  return mergedOrder;
}
