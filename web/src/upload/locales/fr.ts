import type { StringOverrides } from "../strings.ts";

export const strings: StringOverrides = {
  removeFile: "Retirer",
  chooseFiles: "Choisir des fichiers",
  chooseFolder: "Choisir un dossier",
  intro:
    "Images, vidéos et documents, sans limite de nombre ni de taille. Vous pouvez aussi coller. Chaque fichier part aussitôt et s’ajoute de lui-même à la publication.",
  waiting: "En attente",
  checking: "Vérification",
  onPost: "Dans la publication",
  offline: "Vous êtes hors ligne. L’envoi reprend de lui-même au retour de la connexion.",
  unreachable: "Le serveur ne répond pas. L’envoi reprend de lui-même dès qu’il répond.",
  connectionRestored: "La connexion est revenue.",
  chooseAgain: "Choisissez à nouveau ce fichier : l’envoi reprend là où il en était.",
  altText: "Texte alternatif",
  altHint: "Que voit-on ? Pour les personnes qui ne peuvent pas le voir.",
  saved: "Enregistré",
  notSaved: "Non enregistré",
  phone: "Continuer sur un téléphone",
  phoneHint:
    "Scannez ce code avec l’appareil photo du téléphone. Qui l’a peut envoyer des fichiers à cette publication.",
  phoneLocalOnly: "Cette adresse ne fonctionne que sur cet ordinateur.",
  allDone: "Tous les fichiers sont dans la publication. Vous pouvez fermer cette page ou en ajouter d’autres.",
  linkExpired: "Ce lien n’accepte plus de nouveaux fichiers. Ceux en cours continuent.",
  close: "Fermer",
  cancelConfirmation: "Arrêter l’envoi de ce fichier ? Ce qui a été envoyé sera perdu.",
  discardUpload: "Arrêter et abandonner",
  keepUploading: "Continuer l’envoi",
  files: "Fichiers",
  usePhoto: "Utiliser cette photo",
  retakePhoto: "En prendre une autre",
};
