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
}

/** A studio as its member sees it in a list. */
export interface OwnMembership {
  studioId: string;
  studioName: string;
  role: Role;
  joinedAt: number;
}

export interface UserStore {
  /** The user with this issuer and subject, made or brought up to date in one statement. */
  upsert(id: string, identity: Identity, now: number): Promise<User>;
  find(userId: string): Promise<User | undefined>;
  /** Earliest joined first. */
  memberships(userId: string): Promise<OwnMembership[]>;
  /** False, and nothing changed, unless the user is a member. */
  setActiveStudio(userId: string, studioId: string): Promise<boolean>;
}
