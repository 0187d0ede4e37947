import type { OwnStrings } from "../strings.ts";

export const strings: OwnStrings = {
  chooseFiles: "Dateien auswählen",
  chooseFolder: "Ordner auswählen",
  intro:
    "Bilder, Videos und Dokumente, beliebig viele, beliebig groß. Einfügen geht auch. Jede Datei startet sofort und landet von selbst im Beitrag.",
  waiting: "Wartet",
  checking: "Wird geprüft",
  onThePost: "Im Beitrag",
  offline: "Sie sind offline. Es geht von selbst weiter, sobald die Verbindung wieder da ist.",
  unreachable: "Der Server antwortet nicht. Es geht von selbst weiter, sobald er es tut.",
  backAgain: "Die Verbindung ist wieder da.",
  chooseAgain: "Wählen Sie diese Datei noch einmal aus, dann geht es an derselben Stelle weiter.",
  altText: "Alternativtext",
  altHint: "Was ist zu sehen? Für Menschen, die es nicht sehen können.",
  saved: "Gespeichert",
  notSaved: "Nicht gespeichert",
  phone: "Am Telefon weitermachen",
  phoneHint: "Mit der Kamera des Telefons scannen. Wer den Code hat, kann Dateien an diesen Beitrag senden.",
  phoneLocal: "Diese Adresse funktioniert nur auf diesem Rechner.",
  allDone: "Alle Dateien sind im Beitrag. Sie können die Seite schließen oder weitere hinzufügen.",
  linkOver: "Über diesen Link können keine neuen Dateien mehr begonnen werden. Was unterwegs ist, läuft weiter.",
  close: "Schließen",
  files: "Dateien",
  use: "Dieses Bild verwenden",
  again: "Noch eines",
};
