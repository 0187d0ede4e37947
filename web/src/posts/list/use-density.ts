import { useState } from "react";

export type Density = "comfortable" | "compact";

const storageKey = "atelier-posts-density";

/** How much each row shows; stored in this browser. */
export function useDensity(): [Density, (density: Density) => void] {
  const [density, setDensity] = useState(readDensity);
  return [
    density,
    (newDensity) => {
      setDensity(newDensity);
      try {
        localStorage.setItem(storageKey, newDensity);
      } catch {
        // The browser may block storage; the choice then lasts until the user leaves the page.
      }
    },
  ];
}

function readDensity(): Density {
  try {
    return localStorage.getItem(storageKey) === "compact" ? "compact" : "comfortable";
  } catch {
    return "comfortable";
  }
}
