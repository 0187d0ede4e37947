/** The files' present order, with those removed since then at their former positions: each Undo finds its neighbors. */
export function rememberOrder(known: readonly string[], present: readonly string[]): string[] {
  const order = [...present];
  for (const [i, id] of known.entries()) {
    if (!order.includes(id)) order.splice(order.indexOf(known[i - 1] ?? "") + 1, 0, id);
  }
  return order;
}
