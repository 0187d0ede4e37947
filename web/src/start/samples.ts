/** Sample posts that a development server can add to a user's first studio. */
export const samples = [
  {
    title: "How we choose paper",
    body: "Paper is the first decision and the one people feel before they read a word.\n\nWe keep forty sheets on the long table and choose with our eyes closed. Weight first, then tooth, then the sound it makes when it turns.\n\nThis week: three sheets that lost, and the one that did not.",
  },
  {
    title: "Open studio, first Saturday",
    body: "Doors open at ten. Coffee from next door, prints on the wall, ink on our hands.\n\nBring a photograph you have never printed. We will.\n\nhttps://example.com/open-studio",
  },
  {
    title: "Three things we learned from the harbour series",
    body: "1. Fog is not grey.\n2. Ask before the second cup of coffee.\n3. The best frame was the one after we had packed.\n\nFull series on Thursday. #harbour #process",
  },
] as const;
