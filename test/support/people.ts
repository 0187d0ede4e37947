import { recognizeUser } from "#domain/access/recognize-user.ts";
import type { Identity } from "#domain/access/ports.ts";
import type { Caller, SignedIn } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import type { Role } from "#domain/policy.ts";
import { acceptInvitation } from "#domain/studios/accept-invitation.ts";
import { createInvitation } from "#domain/studios/create-invitation.ts";
import { createStudio } from "#domain/studios/create-studio.ts";
import { enterStudio } from "#domain/studios/enter-studio.ts";

let made = 0;

/** An identity nobody had before; name what matters to the test. */
export function identity(given: Partial<Identity> = {}): Identity {
  const number = ++made;
  return {
    issuer: "https://idp.test",
    subject: `subject-${number}`,
    name: `Person ${number}`,
    email: `person${number}@example.com`,
    emailVerified: true,
    ...given,
  };
}

export async function newPerson(deps: Deps, given: Partial<Identity> = {}): Promise<SignedIn> {
  const user = await recognizeUser(deps, identity(given));
  return { user: { id: user.id, name: user.name, email: user.email } };
}

/** A new studio; the answer is its owner in it. */
export async function newStudio(deps: Deps, owner?: SignedIn, name = "Studio"): Promise<Caller> {
  const person = owner ?? (await newPerson(deps));
  const studio = await createStudio(deps, person, { name, timezone: "UTC" });
  return enterStudio(deps, person, studio.id);
}

/** Someone new in the owner's studio, invited in that role. */
export async function newMember(deps: Deps, owner: Caller, role: Role, person?: SignedIn): Promise<Caller> {
  const invited = person ?? (await newPerson(deps));
  await acceptInvitation(deps, invited, { token: await invite(deps, owner, role) });
  return enterStudio(deps, invited, owner.studio.id);
}

/** The token in a new invitation's link. */
export async function invite(deps: Deps, caller: Caller, role: Role, email?: string): Promise<string> {
  const { url } = await createInvitation(deps, caller, { role, email });
  return url.slice(`${deps.base}/join/`.length);
}

/** A studio with one person in each role, and a second owner, so that the first may be changed as well. */
export async function newStudioWithRoles(deps: Deps): Promise<Record<Role | "otherOwner", Caller>> {
  const owner = await newStudio(deps);
  return {
    owner,
    otherOwner: await newMember(deps, owner, "owner"),
    admin: await newMember(deps, owner, "admin"),
    member: await newMember(deps, owner, "member"),
  };
}
