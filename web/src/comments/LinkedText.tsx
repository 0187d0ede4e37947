import { Fragment } from "react";
import { findLinks } from "#portable/text-features.ts";

/** A plain text whose URLs are links. */
export function LinkedText({ text }: { text: string }) {
  const links = findLinks(text).filter((link) => URL.canParse(text.slice(link.start, link.end)));
  return (
    <>
      {links.map(({ start, end }, i) => (
        <Fragment key={start}>
          {text.slice(links[i - 1]?.end ?? 0, start)}
          <a href={text.slice(start, end)} target="_blank" rel="noopener noreferrer nofollow">
            {text.slice(start, end)}
          </a>
        </Fragment>
      ))}
      {text.slice(links.at(-1)?.end ?? 0)}
    </>
  );
}
