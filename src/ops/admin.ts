import { parseArgs } from "node:util";
import type { Operator } from "#domain/caller.ts";
import type { Deps } from "#domain/ports/deps.ts";
import { addOwner, disableUser, enableUser, revokeGrants } from "#domain/operator/user-access.ts";
import { unapprovePublications } from "#domain/operator/unapprove-publications.ts";
import { listGrants, listStudios, listUsers } from "#domain/operator/lookups.ts";
import { UsageError } from "./usage-error.ts";

export const adminHelp = `npm run admin -- <command>

  users [--search <text>]           list all users with their studios
  disable-user <user>               block a user; end their sessions, AI clients, upload links and invitations
  enable-user <user>                let a user sign in again; does not restore access that disable-user ended
  studios [--search <text>]         list all studios with their owners
  hand-over <studio> <user>         make a user an owner of a studio; its other owners stay
  grants [--user <user>] [--client <id>] [--all]
                                    list AI clients with access; --all includes revoked ones
  end-grants <grant> …              revoke the access of AI clients
  unapprove-publications            return all scheduled publications for approval, before you start the server on a
                                    restored database

<user> is an id (usr_…) or an email that only one user has. Changes apply from the next request; the server can keep
running. --json prints one JSON document per line: npm run --silent admin -- users --json
`;

export type AdminDeps = Pick<
  Deps,
  "users" | "studios" | "memberships" | "grants" | "publications" | "transact" | "newId" | "clock"
>;

interface CommandOutput {
  /** Printed with --json. */
  value: object;
  text: string;
}

interface Command {
  /** If the last name is "…", the argument before it can be repeated. */
  argumentNames: readonly string[];
  run(deps: AdminDeps, commandArgs: readonly string[], options: Options): AsyncIterable<CommandOutput>;
}

const options = {
  json: { type: "boolean", default: false },
  all: { type: "boolean", default: false },
  search: { type: "string" },
  user: { type: "string" },
  client: { type: "string" },
} as const;

type Options = ReturnType<typeof parseArguments>["values"];

const operator: Operator = { operator: true };

const commands: Record<string, Command> = {
  users: {
    argumentNames: [],
    async *run(deps, _args, { search }) {
      for await (const user of readAllPages((page) => listUsers(deps, operator, { search, ...page }))) {
        const studios = user.studios.map((item) => `${item.name} (${item.role})`).join(", ");
        const state = user.disabledAt === null ? "" : `disabled ${user.disabledAt}`;
        yield { value: user, text: formatColumns(user.id, user.email, user.name, studios, state) };
      }
    },
  },
  "disable-user": {
    argumentNames: ["user"],
    async *run(deps, [user = ""]) {
      const result = await disableUser(deps, operator, { user });
      const endedCounts = Object.entries(result.ended).map(([name, count]) => `${count} ${toWords(name)}`);
      const lines = [
        `${result.userId} ${result.changed ? "is disabled" : "was already disabled"}. Ended: ${endedCounts.join(", ")}.`,
        ...result.withoutOwner.map(
          ({ id, name }) =>
            `${formatColumns(name)} has no other owner. Add one: npm run admin -- hand-over ${id} <user>`,
        ),
      ];
      yield { value: result, text: lines.join("\n") };
    },
  },
  "enable-user": {
    argumentNames: ["user"],
    async *run(deps, [user = ""]) {
      const result = await enableUser(deps, operator, { user });
      yield { value: result, text: `${result.userId} ${result.changed ? "is enabled" : "was not disabled"}.` };
    },
  },
  studios: {
    argumentNames: [],
    async *run(deps, _args, { search }) {
      for await (const studio of readAllPages((page) => listStudios(deps, operator, { search, ...page }))) {
        const owners = studio.owners.map((item) => item.email ?? item.name).join(", ");
        yield {
          value: studio,
          text: formatColumns(studio.id, studio.name, `${studio.members} members, owned by ${owners}`),
        };
      }
    },
  },
  "hand-over": {
    argumentNames: ["studio", "user"],
    async *run(deps, [studioId = "", user = ""]) {
      const result = await addOwner(deps, operator, { studioId, user });
      yield {
        value: result,
        text: `${result.userId} ${result.changed ? "is" : "was already"} an owner of ${studioId}.`,
      };
    },
  },
  grants: {
    argumentNames: [],
    async *run(deps, _args, { user, client: clientId, all: includeRevoked }) {
      for await (const grant of readAllPages((page) =>
        listGrants(deps, operator, { user, clientId, includeRevoked, ...page }),
      )) {
        const userLabel = grant.user.email ?? grant.user.name;
        const state =
          grant.revokedAt === null ? `last used: ${grant.lastUsedAt ?? "never"}` : `revoked ${grant.revokedAt}`;
        yield {
          value: grant,
          text: formatColumns(grant.id, grant.clientName, grant.redirectHost, userLabel, grant.studioId, state),
        };
      }
    },
  },
  "end-grants": {
    argumentNames: ["grant", "…"],
    async *run(deps, grantIds) {
      const result = await revokeGrants(deps, operator, { grantIds });
      yield { value: result, text: `${result.ended.length} revoked, ${result.before.length} were already revoked.` };
    },
  },
  "unapprove-publications": {
    argumentNames: [],
    async *run(deps) {
      const result = await unapprovePublications(deps, operator);
      yield { value: result, text: `${result.unapproved} scheduled publications wait for approval.` };
    },
  },
};

/** Parses the arguments, or throws a UsageError. The returned function runs the command. */
export function parseAdminCommand(
  args: readonly string[],
): (deps: AdminDeps, print: (line: string) => void) => Promise<void> {
  const { values, positionals } = parseArguments(args);
  const [name = "", ...commandArgs] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new UsageError(`Unknown command ${JSON.stringify(name)}.`);
  const hasValidArgumentCount =
    command.argumentNames.at(-1) === "…" ? commandArgs.length > 0 : commandArgs.length === command.argumentNames.length;
  if (!hasValidArgumentCount)
    throw new UsageError(
      `Usage: ${name} ${command.argumentNames.map((item) => (item === "…" ? item : `<${item}>`)).join(" ")}`,
    );
  return async (deps, print) => {
    for await (const { value, text } of command.run(deps, commandArgs, values))
      print(values.json ? JSON.stringify(value) : text);
  };
}

function parseArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

const pageSize = 100;

async function* readAllPages<T extends { id: string }>(
  read: (page: { before: string | undefined; limit: number }) => Promise<T[]>,
): AsyncGenerator<T> {
  let before: string | undefined;
  for (;;) {
    const page = await read({ before, limit: pageSize });
    yield* page;
    if (page.length < pageSize) return;
    before = page.at(-1)?.id;
  }
}

/** `uploadLinks` becomes `upload links`. */
const toWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Replaces control characters: names come from users and must not move the cursor or start a new line. */
function formatColumns(...values: (string | null)[]): string {
  return values
    .map((value) => (value ?? "").replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "?"))
    .filter(Boolean)
    .join("  ");
}
