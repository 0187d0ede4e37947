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
