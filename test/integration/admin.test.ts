import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAdminCommand } from "#ops/admin.ts";
import { UsageError } from "#ops/usage-error.ts";
import { forOneEngine, getDatabaseSettings } from "../support/engines.ts";
import { runCommand } from "../support/operator-commands.ts";
import { callTool } from "../support/service-access.ts";
import { newMember, newStudio } from "../support/users.ts";
import { startService } from "../support/service.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { createTestGrant } from "../support/tokens.ts";
import { startForSuite } from "../support/start-for-suite.ts";

interface Studio {
  id: string;
  owners: { id: string }[];
}

/** Other tests cover the verbs. One test runs a command as an operator does, in a process next to the service. */
forOneEngine("npm run admin", (fixture) => {
  const server = startForSuite(() => startService(fixture.deps));

  const run = async (...args: string[]): Promise<string> => {
    const lines: string[] = [];
    await parseAdminCommand(args)(fixture.deps, (line) => void lines.push(`${line}\n`));
    return lines.join("");
  };
  const fetchStatus = async (token: string) => (await callTool(server.base, token, "whoami")).status;

  test("finds a user, disables them, hands their studio over, and enables them again", async () => {
    const owner = await newStudio(fixture.deps, undefined, "Old \u001B[31mname");
    const member = await newMember(fixture.deps, owner, "member");
    const { token } = await createTestGrant(server.deps, owner);
    const email = owner.user.email ?? "";

    const userList = `${owner.user.id}  ${email}  ${owner.user.name}  Old ?[31mname (owner)\n`;
    assert.equal(await run("users", "--search", email), userList);
    assert.equal(await fetchStatus(token), 200);
    const disableOutput = await run("disable-user", email);
    assert.match(
      disableOutput,
      /is disabled\. Ended: 1 sessions, 1 clients, 0 upload links, 0 invitations, 0 calendar feeds\./,
    );
    assert.match(disableOutput, new RegExp(`npm run admin -- hand-over ${owner.studio.id} <user>`));
    assert.equal(await fetchStatus(token), 401, "the running service rejects the token at once");

    assert.match(await run("hand-over", owner.studio.id, member.user.id), /is an owner of/);
    const lines = (await run("studios", "--json")).trim().split("\n");
    const studio = lines.map((line) => JSON.parse(line) as Studio).find(({ id }) => id === owner.studio.id);
    assert.deepEqual(studio?.owners.map(({ id }) => id).toSorted(), [owner.user.id, member.user.id].toSorted());
    assert.match(await run("enable-user", email), /is enabled/);
  });

  test("lists grants and revokes them", async () => {
    const owner = await newStudio(fixture.deps);
    const { token, grantId } = await createTestGrant(server.deps, owner, { client: "Claude" });
    const grant = JSON.parse(await run("grants", "--user", owner.user.id, "--json")) as { clientName: string };
    assert.equal(grant.clientName, "Claude");
    assert.equal(await run("end-grants", grantId), "1 revoked, 0 were already revoked.\n");
    assert.equal(await fetchStatus(token), 401);
    assert.equal(await run("grants", "--user", owner.user.id), "");
    assert.match(await run("grants", "--user", owner.user.id, "--all"), /Claude.*revoked 20/);
  });

  test("rejects an unknown command and invalid arguments", () => {
    const invalidCommands = [["toString"], ["user"], ["users", "--colour"], ["disable-user"], ["hand-over", "one"]];
    for (const args of [...invalidCommands, ["end-grants"]])
      assert.throws(() => parseAdminCommand(args), UsageError, args.join(" "));
  });

  test("the command prints its help, its result, or an explanation of the problem", async () => {
    const owner = await newStudio(fixture.deps);
    const { location } = fixture;
    const emptyFolder = createTempFolder();
    const runProcess = (args: string[], env = { DATA_DIR: location.dataDir, ...getDatabaseSettings(location) }) =>
      runCommand(["admin", ...args], env);
    const [help, users, unknownCommand, unknownUser, missingDatabase] = await Promise.all([
      runProcess([]),
      runProcess(["users", "--search", owner.user.email ?? ""]),
      runProcess(["user"]),
      runProcess(["disable-user", "unknown@example.com"]),
      runProcess(["users"], { DATA_DIR: emptyFolder.path }),
    ]);
    assert.deepEqual([help.code, help.output], [0, help.stdout], "on standard output only");
    assert.match(help.stdout, /^npm run admin -- <command>\n/);
    assert.equal(users.code, 0, users.output);
    assert.ok(users.stdout.startsWith(owner.user.id));
    assert.equal(unknownCommand.code, 2);
    assert.match(unknownCommand.output, /Unknown command "user"\.\n\nnpm run admin -- <command>/);
    assert.deepEqual([unknownUser.code, unknownUser.output], [1, "This user does not exist.\n"]);
    assert.match(missingDatabase.output, /There is no database/);
    emptyFolder.remove();
  });
});
