import type { StringOverrides } from "../strings.ts";

export const strings: StringOverrides = {
  removeFile: "Verwijderen",
  chooseFiles: "Bestanden kiezen",
  chooseFolder: "Map kiezen",
  intro:
    "Afbeeldingen, video’s en documenten van elke grootte. U kunt bestanden ook plakken. Ze worden meteen geüpload en aan dit bericht toegevoegd.",
  waiting: "In de wachtrij",
  checking: "Wordt gecontroleerd",
  onPost: "In het bericht",
  libraryIntro:
    "Afbeeldingen, video’s en documenten van elke grootte. U kunt bestanden ook plakken. Ze worden meteen geüpload en blijven in de bibliotheek tot u ze aan een bericht toevoegt.",
  inLibrary: "In de bibliotheek",
  offline: "U bent offline. De upload wordt hervat zodra u weer online bent.",
  unreachable: "De server reageert niet. De upload wordt automatisch hervat.",
  connectionRestored: "Verbinding hersteld.",
  chooseAgain: "Kies dit bestand opnieuw om de upload te hervatten.",
  allowOrChooseAgain: "Hervat de upload en geef de browser toestemming om dit bestand te lezen, of kies het opnieuw.",
  altText: "Alternatieve tekst",
  altHint: "Beschrijf dit bestand",
  saved: "Opgeslagen",
  notSaved: "Niet opgeslagen",
  phone: "Doorgaan op een telefoon",
  phoneHint:
    "Scan de code met de camera van de telefoon. Iedereen met de link kan bestanden naar dit bericht uploaden.",
  phoneLocalOnly: "Deze link werkt alleen op deze computer.",
  allDone: "Alle bestanden staan in het bericht. U kunt deze pagina sluiten of er meer toevoegen.",
  libraryAllDone: "Alle bestanden staan in de bibliotheek. U kunt er meer toevoegen.",
  linkExpired: "Deze link is verlopen en neemt geen nieuwe bestanden meer aan. Lopende uploads gaan door.",
  close: "Sluiten",
  cancelConfirmation: "Deze upload annuleren? Het al geüploade deel wordt verwijderd.",
  discardUpload: "Upload verwijderen",
  keepUploading: "Doorgaan met uploaden",
  files: "Bestanden",
  usePhoto: "Deze foto gebruiken",
  retakePhoto: "Opnieuw maken",
};
