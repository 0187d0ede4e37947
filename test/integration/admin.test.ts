import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parseAdminCommand } from "#ops/admin.ts";
import { UsageError } from "#ops/usage-error.ts";
import { forOneEngine, getDatabaseSettings } from "../support/engines.ts";
import { runCommand } from "../support/operator-commands.ts";
import { callTool } from "../support/service-access.ts";
import { newMember, newStudio } from "../support/users.ts";
import { startService, type RunningService } from "../support/service.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { createTestGrant } from "../support/tokens.ts";

/** Runs the commands as an operator does, in a process next to the service. Other tests cover the verbs. */
forOneEngine("npm run admin", (fixture) => {
  let server: RunningService;
  before(async () => void (server = await startService(fixture.deps)));
  after(() => server.close());

  const runAdmin = (...args: string[]) => {
    const { location } = fixture;
    return runCommand(["admin", ...args], { DATA_DIR: location.dataDir, ...getDatabaseSettings(location) });
  };
  const runOk = async (...args: string[]) => {
    const { code, output, stdout } = await runAdmin(...args);
    assert.equal(code, 0, output);
    return stdout;
  };

  test("finds a user, disables them, hands their studio over, and enables them again", async () => {
    const owner = await newStudio(fixture.deps, undefined, "Old \u001B[31mname");
    const member = await newMember(fixture.deps, owner, "member");
    const { token } = await createTestGrant(server.deps, owner);
    const fetchStatus = async () => (await callTool(server.base, token, "whoami")).status;
    const email = owner.user.email ?? "";

    const userList = await runOk("users", "--search", email);
    assert.equal(userList, `${owner.user.id}  ${email}  ${owner.user.name}  Old ?[31mname (owner)\n`);
    assert.equal(await fetchStatus(), 200);
    const disableOutput = await runOk("disable-user", email);
    assert.match(disableOutput, /is disabled\. Ended: 1 sessions, 1 clients, 0 upload links, 0 invitations\./);
    assert.match(disableOutput, new RegExp(`npm run admin -- hand-over ${owner.studio.id} <user>`));
    assert.equal(await fetchStatus(), 401, "the running service rejects the token at once");

    assert.match(await runOk("hand-over", owner.studio.id, member.user.id), /is an owner of/);
    const studios = (await runOk("studios", "--json"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Studio);
    const owners = studios.find(({ id }) => id === owner.studio.id)?.owners.map(({ id }) => id);
    assert.deepEqual(owners?.toSorted(), [owner.user.id, member.user.id].toSorted());
    assert.match(await runOk("enable-user", email), /is enabled/);
  });

  test("lists grants and revokes them", async () => {
    const owner = await newStudio(fixture.deps);
    const { token, grantId } = await createTestGrant(server.deps, owner, { client: "Claude" });
    const lines = (await runOk("grants", "--user", owner.user.id, "--json")).trim().split("\n");
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { id: string; clientName: string }).clientName),
      ["Claude"],
    );
    assert.equal(await runOk("end-grants", grantId), "1 revoked, 0 were already revoked.\n");
    assert.equal((await callTool(server.base, token, "whoami")).status, 401);
    assert.equal(await runOk("grants", "--user", owner.user.id), "");
    assert.match(await runOk("grants", "--user", owner.user.id, "--all"), /Claude.*revoked 20/);
  });

  test("prints its help if called without a command", async () => {
    const { code, output, stdout } = await runAdmin();
    assert.deepEqual([code, output], [0, stdout], "on standard output only");
    assert.match(stdout, /^npm run admin -- <command>\n/);
  });

  test("explains an unknown command, invalid arguments, an unknown user and a missing database", async () => {
    for (const args of [["toString"], ["users", "--colour"], ["disable-user"], ["hand-over", "one"], ["end-grants"]])
      assert.throws(() => parseAdminCommand(args), UsageError, args.join(" "));
    const unknownCommand = await runAdmin("user");
    assert.equal(unknownCommand.code, 2);
    assert.match(unknownCommand.output, /Unknown command "user"\.\n\nnpm run admin -- <command>/);
    const unknownUser = await runAdmin("disable-user", "unknown@example.com");
    assert.deepEqual([unknownUser.code, unknownUser.output], [1, "This user does not exist.\n"]);
    const emptyFolder = createTempFolder();
    const missingDatabase = await runCommand(["admin", "users"], { DATA_DIR: emptyFolder.path });
    assert.match(missingDatabase.output, /There is no database/);
    emptyFolder.remove();
  });
});

interface Studio {
  id: string;
  owners: { id: string }[];
}
