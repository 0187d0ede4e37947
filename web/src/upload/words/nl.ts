import type { OwnStrings } from "../strings.ts";

export const strings: OwnStrings = {
  chooseFiles: "Bestanden kiezen",
  chooseFolder: "Map kiezen",
  intro:
    "Foto’s, video’s en documenten, zoveel en zo groot als u wilt. Plakken kan ook. Elk bestand begint meteen en komt vanzelf in het bericht.",
  waiting: "Wacht",
  checking: "Wordt gecontroleerd",
  onThePost: "In het bericht",
  offline: "U bent offline. Het uploaden gaat vanzelf verder zodra de verbinding terug is.",
  unreachable: "De server antwoordt niet. Het uploaden gaat vanzelf verder zodra hij dat doet.",
  backAgain: "De verbinding is terug.",
  chooseAgain: "Kies dit bestand opnieuw, dan gaat het verder waar het was.",
  altText: "Alternatieve tekst",
  altHint: "Wat is er te zien? Voor mensen die het niet kunnen zien.",
  saved: "Opgeslagen",
  notSaved: "Niet opgeslagen",
  phone: "Verder op een telefoon",
  phoneHint: "Scan dit met de camera van de telefoon. Wie de code heeft, kan bestanden naar dit bericht sturen.",
  phoneLocal: "Dit adres werkt alleen op deze computer.",
  allDone: "Alle bestanden staan in het bericht. U kunt deze pagina sluiten of er meer toevoegen.",
  linkOver: "Deze link neemt geen nieuwe bestanden meer aan. Wat onderweg is, gaat door.",
  close: "Sluiten",
  files: "Bestanden",
  use: "Deze foto gebruiken",
  again: "Nog een",
};
