/**
 * Lowercases only A to Z: `toLowerCase` maps some other characters to ASCII letters (the Kelvin sign to k), which
 * would match another mailbox.
 */
export function normalizeEmail(email: string): string {
  return email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Whether the user has verified this email. Null, which means any email, matches every user. */
export function matchesVerifiedEmail(
  email: string | null,
  user: { email: string | null; emailVerified: boolean },
): boolean {
  if (email === null) return true;
  return user.emailVerified && user.email !== null && normalizeEmail(user.email) === normalizeEmail(email);
}
