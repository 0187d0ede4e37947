import type { Person } from "../caller.ts";
import type { Role } from "../policy.ts";

export interface Identity {
  issuer: string;
  subject: string;
  name: string;
  email: string | null;
  emailVerified: boolean;
}

export interface User extends Person {
  emailVerified: boolean;
  activeStudioId: string | null;
  /** When the operator disabled the user. */
  disabledAt: number | null;
}

export interface ListedUser extends User {
  issuer: string;
  createdAt: number;
}

export interface UserMembership {
  studioId: string;
  studioName: string;
  role: Role;
  joinedAt: number;
}

/**
 * Lowercases only A to Z: `toLowerCase` maps some other characters to ASCII letters (the Kelvin sign to k), which
 * would match another mailbox.
 */
export function normalizeEmail(email: string): string {
  return email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Whether the mailbox is in one of these domains, which are in lower case. A subdomain is another domain. */
export const isInDomains = (email: string, domains: readonly string[]): boolean =>
  domains.includes(normalizeEmail(email.slice(email.lastIndexOf("@") + 1)));

/** Whether the user has verified this email. Null, which means any email, matches every user. */
export function matchesVerifiedEmail(
  email: string | null,
  user: { email: string | null; emailVerified: boolean },
): boolean {
  if (email === null) return true;
  return user.emailVerified && user.email !== null && normalizeEmail(user.email) === normalizeEmail(email);
}
