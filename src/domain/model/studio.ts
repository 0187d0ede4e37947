import type { ApprovalRule, Role } from "../policy.ts";

export interface StudioLimits {
  /** Maximum number of studios that one user may own. */
  studiosPerUser: number;
}

export interface Studio {
  id: string;
  name: string;
  slug: string;
  timezone: string;
  approval: ApprovalRule;
  createdAt: number;
}

export interface MembershipRecord {
  studioId: string;
  userId: string;
  role: Role;
  joinedAt: number;
}

export interface Member extends MembershipRecord {
  name: string;
  email: string | null;
}

export interface Invitation {
  id: string;
  studioId: string;
  role: Role;
  /** Only a user with this verified email may accept. */
  email: string | null;
  createdBy: string;
  createdAt: number;
  expiresAt: number;
}

export interface OpenInvitation extends Invitation {
  studioName: string;
  approval: ApprovalRule;
  creatorName: string;
  /** The creator's current role. */
  creatorRole: Role;
}
