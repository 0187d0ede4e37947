import { serve } from "../servers/http-stand-in.ts";

/** Serves files over http, for platforms that fetch media by URL. */
export interface MediaHost {
  /** Returns the URL of the bytes. */
  add(name: string, content: Uint8Array): string;
  /** The URL of a file that does not exist. */
  missingUrl: string;
  close(): Promise<void>;
}

export async function startMediaHost(): Promise<MediaHost> {
  const files = new Map<string, Uint8Array>();
  const { origin, close } = await serve(async ({ path }) => {
    const bytes = files.get(path);
    return bytes ? { status: 200, bytes } : { status: 404 };
  });
  return {
    add: (name, content) => {
      files.set(`/${name}`, content);
      return `${origin}/${name}`;
    },
    missingUrl: `${origin}/missing`,
    close,
  };
}
