/** Adds removed files to the current order at their previous positions, so that Undo can restore them there. */
export function mergeOrder(previousOrder: readonly string[], currentOrder: readonly string[]): string[] {
  const order = [...currentOrder];
  for (const [i, id] of previousOrder.entries()) {
    if (!order.includes(id)) order.splice(order.indexOf(previousOrder[i - 1] ?? "") + 1, 0, id);
  }
  return order;
}
