const holds = new Set<symbol>();

/**
 * While lists are held, a request does not replace what they show: its result may be older than the change that is being
 * saved. Returns the function that ends the hold.
 */
export function holdLists(): () => void {
  const hold = Symbol("hold");
  holds.add(hold);
  return () => void holds.delete(hold);
}

export const areListsHeld = (): boolean => holds.size > 0;
