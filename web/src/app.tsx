import { useEffect, useState, type ReactNode } from "react";
import { ApiError, createStudio, fetchMe, signOut, type Me } from "./api.ts";
import { Connect } from "./connect.tsx";

type State = { at: "loading" } | { at: "signed-out" } | { at: "signed-in"; me: Me } | { at: "failed"; error: unknown };

export function App() {
  const [state, setState] = useState<State>({ at: "loading" });

  async function load(): Promise<void> {
    try {
      const me = await fetchMe();
      setState(me ? { at: "signed-in", me } : { at: "signed-out" });
    } catch (error) {
      setState({ at: "failed", error });
    }
  }

  useEffect(() => void load(), []);

  return (
    <>
      <header className="row">
        <a className="brand" href="/">
          <img src="/icon.svg" alt="" width="22" height="22" />
          Atelier
        </a>
        {state.at === "signed-in" && <SignedInAs name={state.me.user.name} onSignedOut={() => void load()} />}
      </header>
      <main>
        {state.at === "loading" && <p className="row wait">Loading…</p>}
        {state.at === "signed-out" && <Welcome />}
        {state.at === "signed-in" && <Studios me={state.me} onCreated={() => void load()} />}
        {state.at === "failed" && (
          <Lead title="Something is in the way">
            <Failure error={state.error} />
            <p>
              <button type="button" onClick={() => void load()}>
                Try again
              </button>
            </p>
          </Lead>
        )}
        {state.at !== "loading" && <Connect />}
      </main>
    </>
  );
}

function Welcome() {
  return (
    <Lead title="A studio’s posts and media, open to the AI clients you approve.">
      <p className="intro">
        Atelier keeps what a content studio works on and lets clients such as Claude, ChatGPT or Cursor work on it over
        MCP. Each client acts for one person who approved it, and can never do more than that person can do here.
      </p>
      <p>
        <a className="button" href="/login">
          Sign in
        </a>
      </p>
    </Lead>
  );
}

function Studios({ me, onCreated }: { me: Me; onCreated: () => void }) {
  if (me.memberships.length === 0) {
    return (
      <Lead title="Begin with a studio.">
        <p className="intro">
          A studio holds posts and media, and the people who work on them. Clients you connect will act in it.
        </p>
        <CreateStudio onCreated={onCreated} />
      </Lead>
    );
  }
  return (
    <Lead title={`Good to see you, ${me.user.name}.`}>
      <ul className="studios">
        {me.memberships.map((one) => (
          <li key={one.studioId}>
            <strong>{one.studioName}</strong>
            <span>{one.role}</span>
            {one.studioId === me.activeStudioId && <span className="mark">clients act here</span>}
          </li>
        ))}
      </ul>
    </Lead>
  );
}

function CreateStudio({ onCreated }: { onCreated: () => void }) {
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function create(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await createStudio(name.trim());
      onCreated();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <label htmlFor="name">Name of the studio</label>
      <div className="field">
        <input
          id="name"
          value={name}
          onChange={(event) => setName(event.target.value)}
          required
          maxLength={100}
          autoComplete="organization"
        />
        <button type="submit" disabled={busy}>
          {busy ? "Creating…" : "Create studio"}
        </button>
      </div>
      {error !== undefined && <Failure error={error} />}
    </form>
  );
}

function SignedInAs({ name, onSignedOut }: { name: string; onSignedOut: () => void }) {
  const [failed, setFailed] = useState(false);
  return (
    <p className="person">
      <span id="sign-out-failed" role="status">
        {failed && "That did not work. Try again."}
      </span>
      <span>{name}</span>
      <button
        type="button"
        className="quiet"
        onClick={() => void signOut().then(onSignedOut, () => setFailed(true))}
        aria-describedby="sign-out-failed"
      >
        Sign out
      </button>
    </p>
  );
}

/** The first thing on the page: one sentence, and what belongs to it. */
function Lead({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="row lead">
      <div>
        <h1>{title}</h1>
        {children}
      </div>
    </section>
  );
}

function Failure({ error }: { error: unknown }) {
  const known = error instanceof ApiError;
  return (
    <div className="failure" role="alert">
      <p>{known ? error.message : "This page ran into a fault of its own."}</p>
      <p>{known ? error.hint : "Load the page again."}</p>
    </div>
  );
}
