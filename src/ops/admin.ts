import { parseArgs } from "node:util";
import type { Operator } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { disableUser, enableUser, revokeGrants } from "#domain/operator/user-access.ts";
import { handOverStudio } from "#domain/operator/transfer-studio.ts";
import { listGrants, listStudios, listUsers } from "#domain/operator/lookups.ts";
import { UsageError } from "./progress.ts";

export const adminHelp = `npm run admin -- <command>

  users [--search <text>]           everyone who ever signed in, with their studios
  disable-user <user>               shut a person out: ends sessions, AI clients, upload links and invitations
  enable-user <user>                let them in again; nothing that ended comes back
  studios [--search <text>]         every studio, with its owners
  hand-over <studio> <user>         make someone an owner of a studio, member of it or not
  grants [--user <user>] [--client <id>] [--all]
                                    the AI clients that people let in; --all: ended ones too
  end-grants <grant> …              cut AI clients off

<user> is an id (usr_…) or an address that only one user has. Everything counts from the next request on, and the
service goes on running. --json prints one JSON document a line: npm run --silent admin -- users --json
`;

type AdminDeps = Pick<Deps, "users" | "studios" | "memberships" | "grants" | "transact" | "newId" | "clock">;

/** Something that was found or done: the whole of it, and how to say it to a person. */
interface CommandOutput {
  value: object;
  text: string;
}

interface Command {
  /** What its arguments are called. */
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
      const ended = Object.entries(result.ended).map(([label, count]) => `${count} ${label}`);
      const lines = [
        `${result.userId} ${result.changed ? "is disabled" : "was disabled before"}. Ended: ${ended.join(", ")}.`,
        ...result.withoutOwner.map(
          ({ id, name }) => `${name} has no other owner. Give it one: npm run admin -- hand-over ${id} <user>`,
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
      const result = await handOverStudio(deps, operator, { studioId, user });
      yield {
        value: result,
        text: `${result.userId} ${result.changed ? "is" : "was already"} an owner of ${studioId}.`,
      };
    },
  },
  grants: {
    argumentNames: [],
    async *run(deps, _args, { user, client: clientId, all: ended }) {
      for await (const grant of readAllPages((page) =>
        listGrants(deps, operator, { user, clientId, ended, ...page }),
      )) {
        const person = grant.user.email ?? grant.user.name;
        const state =
          grant.revokedAt === null ? `last used ${grant.lastUsedAt ?? "never"}` : `ended ${grant.revokedAt}`;
        yield {
          value: grant,
          text: formatColumns(grant.id, grant.clientName, grant.redirectHost, person, grant.studioId, state),
        };
      }
    },
  },
  "end-grants": {
    argumentNames: ["grant", "…"],
    async *run(deps, grantIds) {
      const result = await revokeGrants(deps, operator, { grantIds });
      yield { value: result, text: `${result.ended.length} ended, ${result.before.length} had ended before.` };
    },
  },
};

/** Understands the arguments, or throws; nothing is touched before the answer is called. */
export function parseAdminCommand(
  args: readonly string[],
): (deps: AdminDeps, print: (line: string) => void) => Promise<void> {
  const { values, positionals } = parseArguments(args);
  const [name = "", ...commandArgs] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new UsageError(`There is no command ${JSON.stringify(name)}.`);
  const hasEnoughArguments =
    command.argumentNames.at(-1) === "…" ? commandArgs.length > 0 : commandArgs.length === command.argumentNames.length;
  if (!hasEnoughArguments)
    throw new UsageError(
      `It is: ${name} ${command.argumentNames.map((item) => (item === "…" ? item : `<${item}>`)).join(" ")}`,
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

/** Everything of a list that is read a page at a time, each from the last id on. */
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

/** One line for one thing. Names are what people wrote: nothing of them moves a cursor or begins another line. */
function formatColumns(...values: (string | null)[]): string {
  return values
    .map((value) => (value ?? "").replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "?"))
    .filter(Boolean)
    .join("  ");
}
