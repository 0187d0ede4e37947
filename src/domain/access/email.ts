/**
 * Addresses are compared without regard to the case of A to Z, and letter by letter otherwise: the lower case of other
 * letters can be one of these (K, the Kelvin sign), which is another mailbox.
 */
export function normalizeEmail(email: string): string {
  return email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Whether a person proved to be the one at this address. Null: it is meant for anyone. */
export function matchesVerifiedEmail(
  email: string | null,
  person: { email: string | null; emailVerified: boolean },
): boolean {
  if (email === null) return true;
  return person.emailVerified && person.email !== null && normalizeEmail(person.email) === normalizeEmail(email);
}
