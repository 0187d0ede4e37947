import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parseAdminCommand } from "#ops/admin.ts";
import { UsageError } from "#ops/progress.ts";
import { forEachEngine } from "../support/engines.ts";
import { callTool, runCommand } from "../support/operator-commands.ts";
import { newMember, newStudio } from "../support/users.ts";
import { startService, type RunningService } from "../support/service.ts";
import { createTempFolder } from "../support/temp-folder.ts";
import { createTestGrant } from "../support/tokens.ts";

/** The commands as an operator types them, in a process beside the service. What they do is tested with their verbs. */
forEachEngine("npm run admin", (fixture) => {
  let server: RunningService;
  before(async () => void (server = await startService(fixture.deps)));
  after(() => server.close());

  const admin = (...args: string[]) => {
    const { databaseUrl, dataDir } = fixture.location;
    return runCommand(["admin", ...args], { DATA_DIR: dataDir, ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}) });
  };
  const done = async (...args: string[]) => {
    const { code, output: said, result } = await admin(...args);
    assert.equal(code, 0, said);
    return result;
  };

  test("finds a user, shuts them out, gives their studio a new owner, and lets them in again", async () => {
    const owner = await newStudio(fixture.deps, undefined, "Old \u001B[31mname");
    const member = await newMember(fixture.deps, owner, "member");
    const { token } = await createTestGrant(server.deps, owner);
    const status = async () => (await callTool(server.base, token, "whoami")).status;
    const email = owner.user.email ?? "";

    const listed = await done("users", "--search", email);
    assert.equal(listed, `${owner.user.id}  ${email}  ${owner.user.name}  Old ?[31mname (owner)\n`);
    assert.equal(await status(), 200);
    const disabled = await done("disable-user", email);
    assert.match(disabled, /is disabled\. Ended: 0 sessions, 1 clients, 0 upload links, 0 invitations\./);
    assert.match(disabled, new RegExp(`npm run admin -- hand-over ${owner.studio.id} <user>`));
    assert.equal(await status(), 401, "the running service knows at once");

    assert.match(await done("hand-over", owner.studio.id, member.user.id), /is an owner of/);
    const studios = (await done("studios", "--json"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Studio);
    const owners = studios.find(({ id }) => id === owner.studio.id)?.owners.map(({ id }) => id);
    assert.deepEqual(owners?.toSorted(), [owner.user.id, member.user.id].toSorted());
    assert.match(await done("enable-user", email), /is enabled/);
  });

  test("lists approvals and ends them", async () => {
    const owner = await newStudio(fixture.deps);
    const { token, grantId } = await createTestGrant(server.deps, owner, { client: "Claude" });
    const lines = (await done("grants", "--user", owner.user.id, "--json")).trim().split("\n");
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { id: string; clientName: string }).clientName),
      ["Claude"],
    );
    assert.equal(await done("end-grants", grantId), "1 revoked, 0 were already revoked.\n");
    assert.equal((await callTool(server.base, token, "whoami")).status, 401);
    assert.equal(await done("grants", "--user", owner.user.id), "");
    assert.match(await done("grants", "--user", owner.user.id, "--all"), /Claude.*revoked 20/);
  });

  test("prints its help when no command is given", async () => {
    const { code, output: said, result } = await admin();
    assert.deepEqual([code, said], [0, result], "on standard output alone");
    assert.match(result, /^npm run admin -- <command>\n/);
  });

  test("says what is wrong, and changes nothing", async () => {
    for (const args of [["toString"], ["users", "--colour"], ["disable-user"], ["hand-over", "one"], ["end-grants"]])
      assert.throws(() => parseAdminCommand(args), UsageError, args.join(" "));
    const mistyped = await admin("user");
    assert.equal(mistyped.code, 2);
    assert.match(mistyped.output, /Unknown command "user"\.\n\nnpm run admin -- <command>/);
    const unknown = await admin("disable-user", "nobody@example.com");
    assert.deepEqual([unknown.code, unknown.output], [1, "This user does not exist.\n"]);
    if (fixture.engine === "postgres") return;
    const empty = createTempFolder();
    const lost = await runCommand(["admin", "users"], { DATA_DIR: empty.path });
    assert.match(lost.output, /There is no database/);
    empty.remove();
  });
});

interface Studio {
  id: string;
  owners: { id: string }[];
}
