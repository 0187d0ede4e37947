import type { OperatorSearch } from "./access.ts";
import type { Asset } from "../model/asset.ts";
import type { Invitation, Member, MembershipRecord, OpenInvitation, Studio } from "../model/studio.ts";
import type { ApprovalRule, Role } from "../policy.ts";

/** Methods that read or change studios ignore those that are marked as deleted, unless they say otherwise. */
export interface StudioStore {
  /** Inserts the studio and its first owner; returns false and changes nothing if the slug is taken. */
  insert(studio: Studio, ownerId: string): Promise<boolean>;
  find(studioId: string): Promise<Studio | undefined>;
  /** Returns the updated studio; undefined if it no longer exists. */
  update(
    studioId: string,
    changes: Partial<Pick<Studio, "name" | "timezone" | "approval">>,
  ): Promise<Studio | undefined>;
  /** All studios, or those whose name or slug contains `search`, newest first. */
  list(page: OperatorSearch): Promise<Studio[]>;
  /** Until the transaction ends, no other transaction can change the studio or add rows that belong to it. */
  lock(studioId: string): Promise<void>;
  /**
   * Makes the studio invisible: marks it as deleted, and deletes its memberships, its invitations, the links of its
   * connect pages and its running publications, whose workers thereby lose their claim.
   */
  markDeleted(studioId: string, now: number): Promise<void>;
  /** Studios that were marked as deleted at this time or earlier and still have rows, earliest deletion first. */
  listDeleted(latestDeletion: number, limit: number): Promise<string[]>;
  /** Deletes the row of a studio that is marked as deleted, and the rows that belong to it. */
  delete(studioId: string): Promise<void>;
}

/** The tables that grow with the use of a studio, in the order in which they are purged: assets refer to posts. */
export const contentTables = [
  "publications",
  "assets",
  "posts",
  "reviewLinks",
  "notifications",
  "mails",
  "activity",
] as const;
export type ContentTable = (typeof contentTables)[number];

/** The rows of studios that are marked as deleted. */
export interface StudioContentStore {
  /** The ids of a studio's rows that are greater than `after`, sorted. */
  listIds(table: ContentTable, studioId: string, after: string, limit: number): Promise<string[]>;
  /** Deletes the rows, and those that belong to them. */
  deleteRows(table: Exclude<ContentTable, "assets">, ids: readonly string[]): Promise<void>;
  /** Deletes the rows and returns the assets as they were. */
  deleteAssets(ids: readonly string[]): Promise<Asset[]>;
  /** Deletes at most `limit` revisions, comments, publications, upload links and reviews of these posts; returns whether all are deleted. */
  deletePostDetails(postIds: readonly string[], limit: number): Promise<boolean>;
}

/** Every method is atomic. */
export interface MembershipStore {
  /** The studio and the user's role, if they are a member. Every web request calls it. */
  findWithStudio(
    studioId: string,
    userId: string,
  ): Promise<{ studio: { id: string; name: string }; role: Role } | undefined>;
  find(studioId: string, userId: string): Promise<MembershipRecord | undefined>;
  /** Whether the user is a member. If so, the studio can't be deleted until the transaction ends. */
  isMemberForShare(studioId: string, userId: string): Promise<boolean>;
  /** The member's role and the studio's approval rule; undefined if the user is disabled or not a member. */
  findEnabled(studioId: string, userId: string): Promise<{ role: Role; approval: ApprovalRule } | undefined>;
  /** Earliest joined first. */
  list(studioId: string): Promise<Member[]>;
  /** Returns false if the user is already a member. */
  insert(membership: MembershipRecord): Promise<boolean>;
  /** Returns false if the member no longer has the role `from`. */
  changeRole(studioId: string, userId: string, from: Role, to: Role): Promise<boolean>;
  /** Returns false if the member no longer has `role`. */
  remove(studioId: string, userId: string, role: Role): Promise<boolean>;
  /** Number of studios that the user owns. Locks the user until the transaction ends. */
  countOwnedForUpdate(userId: string): Promise<number>;
  /** Adjusts the owner count; returns false and changes nothing if no owner would be left. */
  adjustOwnerCount(studioId: string, delta: 1 | -1): Promise<boolean>;
}

/**
 * An invitation is open while it is not accepted, not revoked and not expired, and while its creator could still create
 * it. Otherwise removed or demoted members could return, or invite others, with an old link.
 */
export interface InvitationStore {
  /** Returns false, without a change, if the studio already has `maxOpen` open invitations. */
  insert(invitation: Invitation, tokenHash: string, maxOpen: number): Promise<boolean>;
  findOpen(tokenHash: string, now: number): Promise<OpenInvitation | undefined>;
  /** Newest first. */
  listOpen(studioId: string, now: number, limit: number): Promise<OpenInvitation[]>;
  /** The studio of this invitation, open or not, if the user is a member of it. */
  findStudioIfMember(tokenHash: string, userId: string): Promise<Pick<Studio, "id" | "name"> | undefined>;
  /** Marks the invitation as accepted; returns false if it is no longer open or its creator's role has changed. */
  accept(invitation: OpenInvitation, userId: string, now: number): Promise<boolean>;
  /** Revokes all open invitations that this user created; returns their number. */
  revokeCreatedBy(userId: string, now: number): Promise<number>;
  /** Returns false if the invitation is no longer open. */
  revoke(studioId: string, invitationId: string, now: number): Promise<boolean>;
}
