import type { Role } from "../policy.ts";

export interface Studio {
  id: string;
  name: string;
  slug: string;
  timezone: string;
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
  /** Only this verified address may accept. */
  email: string | null;
  createdBy: string;
  createdAt: number;
  expiresAt: number;
}

export interface OpenInvitation extends Invitation {
  studioName: string;
  /** What its maker is in the studio by now; null where they are no member any more. */
  creatorRole: Role | null;
}

export interface StudioStore {
  /** Inserts the studio and its first owner; false, and nothing changed, where the slug is taken. */
  insert(studio: Studio, ownerId: string): Promise<boolean>;
  find(studioId: string): Promise<Studio | undefined>;
  /** The studio as it then is; undefined where it is gone. */
  update(studioId: string, change: Partial<Pick<Studio, "name" | "timezone">>): Promise<Studio | undefined>;
  /** Every studio, or those whose name or slug holds `search`, newest first. */
  list(page: { search?: string | undefined; before?: string | undefined; limit: number }): Promise<Studio[]>;
  /** With everything that belongs to it. */
  delete(studioId: string): Promise<void>;
}

/** Each of these is one statement, or several that leave nothing behind when the last one does not fit. */
export interface MembershipStore {
  /** The studio and the user's role in it, where they are a member. Asked for by every request of the web app. */
  findWithStudio(
    studioId: string,
    userId: string,
  ): Promise<{ studio: { id: string; name: string }; role: Role } | undefined>;
  find(studioId: string, userId: string): Promise<MembershipRecord | undefined>;
  /** Earliest joined first. */
  list(studioId: string): Promise<Member[]>;
  /** False where the user already is a member. */
  insert(membership: MembershipRecord): Promise<boolean>;
  /** False where the member no longer has the role `from`. */
  changeRole(studioId: string, userId: string, from: Role, to: Role): Promise<boolean>;
  /** False where the member no longer has `role`. */
  remove(studioId: string, userId: string, role: Role): Promise<boolean>;
  /** How many studios the user owns. Until its transaction ends, other transactions that ask for this user wait. */
  countOwnedForUpdate(userId: string): Promise<number>;
  /** Moves the count of owners; false, and nothing changed, where none would be left. */
  adjustOwnerCount(studioId: string, delta: 1 | -1): Promise<boolean>;
}

export interface InvitationStore {
  insert(invitation: Invitation, tokenHash: string): Promise<void>;
  /** The invitation, if it was not used, withdrawn or left to expire by `now`. */
  findOpen(tokenHash: string, now: number): Promise<OpenInvitation | undefined>;
  /** Those, newest first. */
  listOpen(studioId: string, now: number): Promise<OpenInvitation[]>;
  /** The studio of this invitation, open or not, if the user is a member of it. */
  findStudioOfMember(tokenHash: string, userId: string): Promise<Pick<Studio, "id" | "name"> | undefined>;
  /** Uses it up; false where it is not open any more, or its maker is not what they were when it was read. */
  accept(invitation: OpenInvitation, userId: string, now: number): Promise<boolean>;
  /** Withdraws all open ones that this user made; answers how many. */
  revokeForUser(userId: string, now: number): Promise<number>;
  /** False where it is not open any more. */
  revoke(studioId: string, invitationId: string, now: number): Promise<boolean>;
}
