/** The people of the development issuer: whoever types an address is the person at it. */

/** The address in the form under which it is one person, or undefined for what is none. */
export function readAddress(typed: string): string | undefined {
  const address = typed.trim().toLowerCase();
  return address.length <= 254 && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(address) ? address : undefined;
}

/** `grace.hopper@example.com` is Grace Hopper. */
export function nameFromAddress(address: string): string {
  const words = address
    .slice(0, address.indexOf("@"))
    .split(/[._+-]+/)
    .filter(Boolean);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ") || address;
}

/** The subject follows from the address alone, so that people stay who they are without anything being stored. */
export function devClaims(address: string): { sub: string; name: string; email: string; email_verified: true } {
  return { sub: address, name: nameFromAddress(address), email: address, email_verified: true };
}
