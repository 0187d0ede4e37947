import type { StringOverrides } from "../strings.ts";

export const strings: StringOverrides = {
  removeFile: "Entfernen",
  chooseFiles: "Dateien auswählen",
  chooseFolder: "Ordner auswählen",
  intro:
    "Bilder, Videos und Dokumente in beliebiger Größe. Sie können Dateien auch einfügen. Alle Dateien werden sofort hochgeladen und dem Beitrag hinzugefügt.",
  waiting: "Wartet",
  checking: "Wird geprüft",
  onPost: "Im Beitrag",
  libraryIntro:
    "Bilder, Videos und Dokumente in beliebiger Größe. Sie können Dateien auch einfügen. Alle Dateien werden sofort hochgeladen und bleiben in der Bibliothek, bis Sie sie einem Beitrag hinzufügen.",
  inLibrary: "In der Bibliothek",
  offline: "Sie sind offline. Der Upload wird fortgesetzt, sobald Sie wieder online sind.",
  unreachable: "Der Server antwortet nicht. Der Upload wird automatisch fortgesetzt.",
  connectionRestored: "Verbindung wiederhergestellt.",
  chooseAgain: "Wählen Sie diese Datei noch einmal aus, um den Upload fortzusetzen.",
  allowOrChooseAgain:
    "Setzen Sie den Upload fort und erlauben Sie dem Browser, diese Datei zu lesen, oder wählen Sie sie noch einmal aus.",
  altText: "Alternativtext",
  altHint: "Diese Datei beschreiben",
  saved: "Gespeichert",
  notSaved: "Nicht gespeichert",
  phone: "Auf dem Telefon fortfahren",
  phoneHint: "Mit der Kamera des Telefons scannen. Alle mit dem Link können Dateien zu diesem Beitrag hochladen.",
  phoneLocalOnly: "Dieser Link funktioniert nur auf diesem Computer.",
  allDone: "Alle Dateien sind im Beitrag. Sie können die Seite schließen oder weitere hinzufügen.",
  libraryAllDone: "Alle Dateien sind in der Bibliothek. Sie können weitere hinzufügen.",
  linkExpired: "Dieser Link ist abgelaufen und nimmt keine neuen Dateien mehr an. Laufende Uploads werden fortgesetzt.",
  close: "Schließen",
  cancelConfirmation: "Diesen Upload abbrechen? Der bereits hochgeladene Teil wird gelöscht.",
  discardUpload: "Upload verwerfen",
  keepUploading: "Weiter hochladen",
  files: "Dateien",
  usePhoto: "Dieses Bild verwenden",
  retakePhoto: "Neu aufnehmen",
};
