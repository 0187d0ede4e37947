import type { OwnStrings } from "../strings.ts";

export const strings: OwnStrings = {
  removeFile: "Retirer",
  chooseFiles: "Choisir des fichiers",
  chooseFolder: "Choisir un dossier",
  intro:
    "Images, vidéos et documents, sans limite de nombre ni de taille. Vous pouvez aussi coller. Chaque fichier part aussitôt et s’ajoute de lui-même à la publication.",
  waiting: "En attente",
  checking: "Vérification",
  onThePost: "Dans la publication",
  offline: "Vous êtes hors ligne. L’envoi reprend de lui-même au retour de la connexion.",
  unreachable: "Le serveur ne répond pas. L’envoi reprend de lui-même dès qu’il répond.",
  backAgain: "La connexion est revenue.",
  chooseAgain: "Choisissez à nouveau ce fichier : l’envoi reprend là où il en était.",
  altText: "Texte alternatif",
  altHint: "Que voit-on ? Pour les personnes qui ne peuvent pas le voir.",
  saved: "Enregistré",
  notSaved: "Non enregistré",
  phone: "Continuer sur un téléphone",
  phoneHint:
    "Scannez ce code avec l’appareil photo du téléphone. Qui l’a peut envoyer des fichiers à cette publication.",
  phoneLocal: "Cette adresse ne fonctionne que sur cet ordinateur.",
  allDone: "Tous les fichiers sont dans la publication. Vous pouvez fermer cette page ou en ajouter d’autres.",
  linkOver: "Ce lien n’accepte plus de nouveaux fichiers. Ceux en cours continuent.",
  close: "Fermer",
  cancelAsk: "Arrêter l’envoi de ce fichier ? Ce qui a été envoyé sera perdu.",
  throwAway: "Arrêter et abandonner",
  goOn: "Continuer l’envoi",
  files: "Fichiers",
  use: "Utiliser cette photo",
  again: "En prendre une autre",
};
