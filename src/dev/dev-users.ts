/** Users of the development issuer. Any email signs in; nothing about a user is stored. */

/** Normalizes a typed email. Returns undefined if it is not a valid one. */
export function parseEmail(typed: string): string | undefined {
  const email = typed.trim().toLowerCase();
  return email.length <= 254 && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email) ? email : undefined;
}

/** Derives a display name: `grace.hopper@example.com` becomes Grace Hopper. */
export function nameFromEmail(email: string): string {
  const words = email
    .slice(0, email.indexOf("@"))
    .split(/[._+-]+/)
    .filter(Boolean);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ") || email;
}

/** The subject is the email itself, so a user keeps their identity across restarts. */
export function devClaims(email: string): { sub: string; name: string; email: string; email_verified: true } {
  return { sub: email, name: nameFromEmail(email), email, email_verified: true };
}
