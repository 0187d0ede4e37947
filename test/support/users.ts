import { resolveUser } from "#domain/studios/authorize-sign-in.ts";
import type { Identity } from "#domain/model/user.ts";
import { startSession } from "#domain/access/sessions.ts";
import type { Caller, Person, SignedInUser } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import type { Role } from "#domain/policy.ts";
import { acceptInvitation, createInvitation } from "#domain/studios/invitations.ts";
import { createStudio } from "#domain/studios/studios.ts";
import { resolveStudioCaller } from "#domain/steps/resolve-studio-caller.ts";
import { sha256 } from "#lib/digest.ts";

let createdCount = 0;

/** Creates a new identity; pass only the fields that matter to the test. */
export function createIdentity(overrides: Partial<Identity> = {}): Identity {
  const index = ++createdCount;
  return {
    issuer: "https://idp.test",
    subject: `subject-${index}`,
    name: `Person ${index}`,
    email: `person${index}@example.com`,
    emailVerified: true,
    ...overrides,
  };
}

export async function newUser(deps: Deps, overrides: Partial<Identity> = {}): Promise<SignedInUser> {
  return signInUser(deps, await resolveUser(deps, createIdentity(overrides)));
}

/** Starts a web session of an existing user. */
export async function signInUser(deps: Deps, { id, name, email }: Person): Promise<SignedInUser> {
  const token = await startSession(deps, { id }, { previousToken: undefined });
  return { user: { id, name, email }, credential: { kind: "session", tokenHash: sha256(token) } };
}

/** Creates a studio; returns its owner as a caller. */
export async function newStudio(deps: Deps, owner?: SignedInUser, name = "Studio"): Promise<Caller> {
  const user = owner ?? (await newUser(deps));
  const studio = await createStudio(deps, user, { name, timezone: "UTC" });
  return resolveStudioCaller(deps, user, studio.id);
}

/** Adds a member with this role to the owner's studio, by invitation. By default, the member is a new user. */
export async function newMember(deps: Deps, owner: Caller, role: Role, user?: SignedInUser): Promise<Caller> {
  const invitee = user ?? (await newUser(deps));
  await acceptInvitation(
    deps,
    { user: invitee.user, credential: invitee.credential },
    { token: await createInvitationToken(deps, owner, role) },
  );
  return resolveStudioCaller(deps, invitee, owner.studio.id);
}

/** Creates an invitation; returns the token of its link. */
export async function createInvitationToken(deps: Deps, caller: Caller, role: Role, email?: string): Promise<string> {
  const { url } = await createInvitation(deps, caller, { role, email });
  return url.slice(`${deps.baseUrl}/join/`.length);
}

/** Creates a studio with one user in each role and a second owner, so that the first owner can be demoted or removed. */
export async function newStudioWithRoles(deps: Deps): Promise<Record<Role | "otherOwner", Caller>> {
  const owner = await newStudio(deps);
  return {
    owner,
    otherOwner: await newMember(deps, owner, "owner"),
    admin: await newMember(deps, owner, "admin"),
    member: await newMember(deps, owner, "member"),
  };
}
