import { parseArgs } from "node:util";
import type { Operator } from "#domain/caller.ts";
import type { Deps } from "#domain/deps.ts";
import { disableUser } from "#domain/operator/disable-user.ts";
import { enableUser } from "#domain/operator/enable-user.ts";
import { endGrants } from "#domain/operator/end-grants.ts";
import { handOverStudio } from "#domain/operator/hand-over-studio.ts";
import { listGrants } from "#domain/operator/list-grants.ts";
import { listStudios } from "#domain/operator/list-studios.ts";
import { listUsers } from "#domain/operator/list-users.ts";
import { UsageError } from "./tell.ts";

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

type Needs = Pick<Deps, "users" | "studios" | "memberships" | "grants" | "transact" | "newId" | "clock">;

/** Something that was found or done: the whole of it, and how to say it to a person. */
interface Told {
  value: object;
  text: string;
}

interface Command {
  /** What its arguments are called. */
  takes: readonly string[];
  run(deps: Needs, given: readonly string[], options: Options): AsyncIterable<Told>;
}

const options = {
  json: { type: "boolean", default: false },
  all: { type: "boolean", default: false },
  search: { type: "string" },
  user: { type: "string" },
  client: { type: "string" },
} as const;

type Options = ReturnType<typeof readArguments>["values"];

const operator: Operator = { operator: true };

const commands: Record<string, Command> = {
  users: {
    takes: [],
    async *run(deps, _given, { search }) {
      for await (const user of allPages((page) => listUsers(deps, operator, { search, ...page }))) {
        const studios = user.studios.map((one) => `${one.name} (${one.role})`).join(", ");
        const state = user.disabledAt === null ? "" : `disabled ${user.disabledAt}`;
        yield { value: user, text: columns(user.id, user.email, user.name, studios, state) };
      }
    },
  },
  "disable-user": {
    takes: ["user"],
    async *run(deps, [user = ""]) {
      const done = await disableUser(deps, operator, { user });
      const ended = Object.entries(done.ended).map(([what, count]) => `${count} ${what}`);
      const lines = [
        `${done.userId} ${done.changed ? "is disabled" : "was disabled before"}. Ended: ${ended.join(", ")}.`,
        ...done.withoutOwner.map(
          ({ id, name }) => `${name} has no other owner. Give it one: npm run admin -- hand-over ${id} <user>`,
        ),
      ];
      yield { value: done, text: lines.join("\n") };
    },
  },
  "enable-user": {
    takes: ["user"],
    async *run(deps, [user = ""]) {
      const done = await enableUser(deps, operator, { user });
      yield { value: done, text: `${done.userId} ${done.changed ? "is enabled" : "was not disabled"}.` };
    },
  },
  studios: {
    takes: [],
    async *run(deps, _given, { search }) {
      for await (const studio of allPages((page) => listStudios(deps, operator, { search, ...page }))) {
        const owners = studio.owners.map((one) => one.email ?? one.name).join(", ");
        yield { value: studio, text: columns(studio.id, studio.name, `${studio.members} members, owned by ${owners}`) };
      }
    },
  },
  "hand-over": {
    takes: ["studio", "user"],
    async *run(deps, [studioId = "", user = ""]) {
      const done = await handOverStudio(deps, operator, { studioId, user });
      yield { value: done, text: `${done.userId} ${done.changed ? "is" : "was already"} an owner of ${studioId}.` };
    },
  },
  grants: {
    takes: [],
    async *run(deps, _given, { user, client: clientId, all: ended }) {
      for await (const grant of allPages((page) => listGrants(deps, operator, { user, clientId, ended, ...page }))) {
        const person = grant.user.email ?? grant.user.name;
        const state =
          grant.revokedAt === null ? `last used ${grant.lastUsedAt ?? "never"}` : `ended ${grant.revokedAt}`;
        yield {
          value: grant,
          text: columns(grant.id, grant.clientName, grant.redirectHost, person, grant.studioId, state),
        };
      }
    },
  },
  "end-grants": {
    takes: ["grant", "…"],
    async *run(deps, grantIds) {
      const done = await endGrants(deps, operator, { grantIds });
      yield { value: done, text: `${done.ended.length} ended, ${done.before.length} had ended before.` };
    },
  },
};

/** Understands the arguments, or throws; nothing is touched before the answer is called. */
export function readAdmin(args: readonly string[]): (deps: Needs, print: (line: string) => void) => Promise<void> {
  const { values, positionals } = readArguments(args);
  const [name = "", ...given] = positionals;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new UsageError(`There is no command ${JSON.stringify(name)}.`);
  const enough = command.takes.at(-1) === "…" ? given.length > 0 : given.length === command.takes.length;
  if (!enough)
    throw new UsageError(`It is: ${name} ${command.takes.map((one) => (one === "…" ? one : `<${one}>`)).join(" ")}`);
  return async (deps, print) => {
    for await (const { value, text } of command.run(deps, given, values))
      print(values.json ? JSON.stringify(value) : text);
  };
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

const pageSize = 100;

/** Everything of a list that is read a page at a time, each from the last id on. */
async function* allPages<T extends { id: string }>(
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
function columns(...values: (string | null)[]): string {
  return values
    .map((value) => (value ?? "").replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "?"))
    .filter(Boolean)
    .join("  ");
}
